/* core/json_tree.h - JSON inside the library: how a tree of values is held and built by
 * the JSON and YAML readers, and a text as JSON. Everything of a tree lives in one arena that its root owns. */
#ifndef JSNI_CORE_JSON_TREE_H
#define JSNI_CORE_JSON_TREE_H

#include "core/json.h"
#include "core/text.h"

typedef struct jsni_json_arena jsni_json_arena;

/* Small, since a document may hold a value in every second byte. */
struct jsni_json {
    uint8_t kind; /* jsni_json_kind */
    bool is_int;  /* of a number: `whole` holds it, else `real` */
    bool truth;
    uint32_t line;
    const char *key; /* in the arena; "" outside objects */
    union {
        const char *text;    /* in the arena; the characters of a scalar */
        jsni_json **entries; /* [count], in file order; objects: again, by key */
    };
    union {
        int64_t whole;
        double real;
        size_t count; /* entries of an array or object */
    };
    jsni_json *next;        /* while building: the entry read after this one */
    jsni_json_arena *arena; /* shared by the whole tree */
};

/* A new tree; its root is a null value on line 1. */
JSN_MUST_CHECK jsn_status jsni_json_tree_create(jsni_json **root, const char *name);

/* Memory of the tree, freed with it; NULL when there is none. */
void *jsni_json_tree_alloc(jsni_json *any, size_t bytes);
char *jsni_json_tree_text(jsni_json *any, size_t bytes); /* aligned to nothing */
jsni_json *jsni_json_tree_value(jsni_json *any, size_t line);
const char *jsni_json_tree_name(const jsni_json *any);

/* Makes `parent` an array or object of the `count` values chained by `next` from
 * `first`. A key that occurs twice is refused. */
JSN_MUST_CHECK jsn_status jsni_json_tree_close(jsni_json *parent, jsni_json_kind kind,
                                               jsni_json *first, size_t count);

/* jsni_json_parse() of a part of a file that begins with this line of it. */
JSN_MUST_CHECK jsn_status jsni_json_parse_line(jsni_json **out, const char *name,
                                               size_t line, const char *data,
                                               size_t length);

/* jsni_json_read() of a file that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_json_read_in(jsni_json **out, const char *folder,
                                            const char *name);

/* A text as JSON has it, in quotes; the caller's (jsn_text_release()). */
JSN_MUST_CHECK jsn_status jsni_json_quote(const char *text, char **out);

/* Whether a text is a number by JSON's grammar. */
bool jsni_json_tree_is_number(const char *text);

/* Makes `value` the number that its text of `length` is; false when it is none. */
bool jsni_json_tree_set_number(jsni_json *value, size_t length);

/* Makes `value` a number if its text is one by JSON's grammar and within double. */
bool jsni_json_tree_number(jsni_json *value);

/* Adds `value` in double quotes, with a backslash before a quote and a backslash; bytes
 * that are not UTF-8 become U+FFFD. Control characters are added by `control`. */
typedef void jsni_control_fn(jsni_text *text, unsigned char c);
void jsni_json_add_quoted(jsni_text *text, const char *value, jsni_control_fn *control);

#endif /* JSNI_CORE_JSON_TREE_H */
