/* format/pickle.h - what a pickle says, without doing it.
 *
 * A pickle is a program for a machine with a stack. This reader knows the instructions
 * that dictionaries of weights consist of and refuses all others by name. It runs nothing:
 * where the pickle wants a function called, the value is the name of the function and its
 * arguments (an "object"), and only functions on the caller's list may be named at all.
 */
#ifndef JSNI_FORMAT_PICKLE_H
#define JSNI_FORMAT_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef enum jsni_pickle_kind {
    JSNI_PICKLE_NONE,
    JSNI_PICKLE_BOOL,
    JSNI_PICKLE_INT,
    JSNI_PICKLE_REAL,
    JSNI_PICKLE_TEXT,
    JSNI_PICKLE_LIST, /* lists and tuples */
    JSNI_PICKLE_DICT,
    JSNI_PICKLE_GLOBAL, /* a function or class, named */
    JSNI_PICKLE_OBJECT, /* a call of one, not made; with items as a dictionary has them */
    JSNI_PICKLE_PERSISTENT, /* what the file keeps elsewhere, such as a storage */
    JSNI_PICKLE_MARK        /* inside the reader alone */
} jsni_pickle_kind;

/* A function or class that may be named. */
typedef struct jsni_pickle_global {
    const char *module, *name;
    int code; /* the caller's */
} jsni_pickle_global;

typedef struct jsni_pickle_value jsni_pickle_value;
struct jsni_pickle_value {
    jsni_pickle_kind kind;
    uint32_t count, room; /* of items */
    jsni_pickle_value *
        *items; /* a list's; of a dictionary and object key, value, ... */
    union {
        int64_t integer;
        double real;
        struct {
            const char *data; /* in the pickle; not terminated */
            size_t length;
        } text;
        struct {
            const jsni_pickle_global *global; /* of a global and an object */
            const jsni_pickle_value
                *arguments; /* of an object: a list; a persistent's id */
        } call;
    } as;
};

typedef struct jsni_pickle jsni_pickle;

/* Reads one pickle from the start of `data`, which must stay until it is closed. *used is
 * the length of it. `name` begins the sentence of a failure. Memory is at most 100
 * MB and 16 times the pickle, whose length the caller bounds. Values may be part of several others
 * and of themselves: who walks them counts.
 *   JSN_ERR_DATA    damaged, or an instruction or a name that weights have no use for
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_pickle_open(jsni_pickle **out, const char *name,
                                           const uint8_t *data, size_t length,
                                           const jsni_pickle_global *globals,
                                           size_t global_count, size_t *used);
void jsni_pickle_close(jsni_pickle *pickle); /* accepts NULL */

const jsni_pickle_value *jsni_pickle_root(const jsni_pickle *pickle);

/* All values that the file keeps elsewhere, in the order of the pickle. */
size_t jsni_pickle_persistents(const jsni_pickle *pickle);
const jsni_pickle_value *jsni_pickle_persistent(const jsni_pickle *pickle,
                                                size_t index);

/* Whether it is this text. */
bool jsni_pickle_is(const jsni_pickle_value *value, const char *text);

/* The value under a key of a dictionary or object; NULL when there is none. The last one
 * counts, as in Python. */
const jsni_pickle_value *jsni_pickle_get(const jsni_pickle_value *dict,
                                         const char *key);

#endif /* JSNI_FORMAT_PICKLE_H */
