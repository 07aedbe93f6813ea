/* format/pickle_impl.h - the machine of pickle.c and its instructions, pickle_code.c. */
#ifndef JSNI_FORMAT_PICKLE_IMPL_H
#define JSNI_FORMAT_PICKLE_IMPL_H

#include "format/pickle.h"

typedef jsni_pickle_value value;

struct jsni_pickle {
    const char *name; /* borrowed while it is read */
    const uint8_t *data;
    size_t length, at;
    const jsni_pickle_global *globals; /* [global_count] borrowed */
    size_t global_count;
    value **blocks; /* [block_count] of VALUES values each, all owned */
    size_t block_count, block_used;
    value **stack; /* [depth] */
    size_t depth, stack_room;
    value **memo; /* [memo_count] NULL: not put yet */
    size_t memo_count, memo_room;
    value **persistents; /* [persistent_count] */
    size_t persistent_count, persistent_room;
    value *root; /* set by the last instruction */
};

/* What an instruction does; its one byte has been read. */
typedef jsn_status jsni_pickle_do(jsni_pickle *p, uint8_t code);

typedef struct jsni_pickle_code {
    uint8_t code;
    const char *name;      /* as Python's documentation has it */
    jsni_pickle_do *apply; /* NULL: refused */
} jsni_pickle_code;

/* The instruction of a byte; NULL when there is none. */
const jsni_pickle_code *jsni_pickle_code_of(uint8_t byte);

/* A failure at the present place. */
jsn_status jsni_pickle_wrong(const jsni_pickle *p, const char *what);

/* `bytes` bytes of the pickle; JSN_ERR_DATA when it ends before. */
JSN_MUST_CHECK jsn_status jsni_pickle_take(jsni_pickle *p, uint64_t bytes,
                                           const uint8_t **out);
/* A new value on the stack. */
JSN_MUST_CHECK jsn_status jsni_pickle_push(jsni_pickle *p, jsni_pickle_kind kind,
                                           value **out);
JSN_MUST_CHECK jsn_status jsni_pickle_push_old(jsni_pickle *p, value *old);
/* The value on top of the stack, taken off it; no mark. */
JSN_MUST_CHECK jsn_status jsni_pickle_pop(jsni_pickle *p, value **out);
/* How many values lie above the topmost mark. */
JSN_MUST_CHECK jsn_status jsni_pickle_above_mark(jsni_pickle *p, size_t *out);
JSN_MUST_CHECK jsn_status jsni_pickle_add_item(value *to, value *item);
/* Lists a persistent value. */
JSN_MUST_CHECK jsn_status jsni_pickle_list_persistent(jsni_pickle *p, value *made);
/* Remembers the value on top of the stack. */
JSN_MUST_CHECK jsn_status jsni_pickle_put(jsni_pickle *p, uint64_t number);

#endif /* JSNI_FORMAT_PICKLE_IMPL_H */
