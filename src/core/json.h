/* core/json.h - JSON (RFC 8259): a strict reader that gives a tree of values, and a
 * writer that appends to a text.
 *
 *     jsni_json *doc = NULL;
 *     if (jsni_json_read(&doc, "losses.json") != JSN_OK) ...
 *     const jsni_json *cases = jsni_json_get(doc, "cases");
 *     for (size_t i = 0; i < jsni_json_count(cases); i++)
 *         if (jsni_json_get_real(jsni_json_at(cases, i), "pi1", &pi1) != JSN_OK) ...
 *     jsni_json_destroy(doc);
 *
 *     jsni_json_writer *w = NULL;
 *     if (jsni_json_writer_create(&w, 0) != JSN_OK) ...
 *     jsni_json_begin_object(w, NULL);
 *     jsni_json_put_real(w, "loss", 0.25);
 *     jsni_json_end(w);
 *     if (jsni_json_writer_take(w, &text) == JSN_OK)   // {"loss":0.25}
 *         puts(text);
 *     jsn_text_release(text);
 *     jsni_json_writer_destroy(w);
 *
 * YAML files are read into the same tree. A tree is read-only and may be used by
 * several threads; a writer belongs to one thread at a time.
 */
#ifndef JSNI_CORE_JSON_H
#define JSNI_CORE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

/* Levels of values in values that are read and written. */
enum { JSNI_JSON_MAX_DEPTH = 128 };

typedef enum jsni_json_kind {
    JSNI_JSON_NULL,
    JSNI_JSON_BOOL,
    JSNI_JSON_NUMBER,
    JSNI_JSON_TEXT,
    JSNI_JSON_ARRAY,
    JSNI_JSON_OBJECT
} jsni_json_kind;

/* A value of a tree, or the whole tree. */
typedef struct jsni_json jsni_json;

/* Reads one value and nothing behind it but white space. Refused: anything outside
 * RFC 8259 (comments, trailing commas, NaN), a key twice in an object, text that is not
 * UTF-8, the character U+0000, numbers beyond the range of double, more than
 * JSNI_JSON_MAX_DEPTH levels, more bytes than the limit `json` (jensen/limit.h). The
 * sentence begins
 * "name:line:column:". *out is NULL on failure, else the caller's: jsni_json_destroy().
 *   JSN_ERR_DATA, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_json_parse(jsni_json **out, const char *name,
                                          const char *data, size_t length);

/* The same from a file. */
JSN_MUST_CHECK jsn_status jsni_json_read(jsni_json **out, const char *path);

/* Frees the tree; `root` is what jsni_json_parse() or jsni_json_read() gave, or NULL. */
void jsni_json_destroy(jsni_json *root);

/* Properties. `value` may be NULL in all of these (then: the kind is NULL, the numbers
 * are 0, the texts "", the pointers NULL), so that look-ups can be chained. */
jsni_json_kind jsni_json_kind_of(const jsni_json *value);
const char *jsni_json_kind_name(jsni_json_kind kind); /* "a number" */
size_t jsni_json_line(const jsni_json *value);        /* first line is 1 */
size_t jsni_json_count(const jsni_json *value);       /* of an array or object */
/* Entry `index` of an array or object, in the order of the file; NULL beyond. */
const jsni_json *jsni_json_at(const jsni_json *value, size_t index);
/* The key of an object's entry, "" for other values; valid as long as the tree. */
const char *jsni_json_key(const jsni_json *value);
/* The entry of an object with that key, or NULL. */
const jsni_json *jsni_json_get(const jsni_json *object, const char *key);

bool jsni_json_bool(const jsni_json *value);   /* false unless `true` */
double jsni_json_real(const jsni_json *value); /* 0 unless a number */
int64_t jsni_json_int(const jsni_json *value); /* 0 unless jsni_json_is_int() */
/* A number that is whole and fits; "4.0" and "1e3" are. */
bool jsni_json_is_int(const jsni_json *value);
/* The text of a text; for a number, true, false and null the characters as they stand
 * in the file (what an option parser wants); "" for the others. */
const char *jsni_json_text(const jsni_json *value);

/* Required entries of an object: JSN_ERR_DATA with "file:line: key 'x' ..." when the
 * entry is missing or of another kind; *out is then untouched. Texts are valid as long
 * as the tree. */
JSN_MUST_CHECK jsn_status jsni_json_get_real(const jsni_json *object, const char *key,
                                             double *out);
JSN_MUST_CHECK jsn_status jsni_json_get_int(const jsni_json *object, const char *key,
                                            int64_t *out);
JSN_MUST_CHECK jsn_status jsni_json_get_bool(const jsni_json *object, const char *key,
                                             bool *out);
JSN_MUST_CHECK jsn_status jsni_json_get_text(const jsni_json *object, const char *key,
                                             const char **out);
JSN_MUST_CHECK jsn_status jsni_json_get_array(const jsni_json *object, const char *key,
                                              const jsni_json **out);
JSN_MUST_CHECK jsn_status jsni_json_get_object(const jsni_json *object, const char *key,
                                               const jsni_json **out);

/* JSN_ERR_DATA with "file:line: " and `sentence`; for a caller that finds a value wrong
 * in a way the reader cannot know, such as an unknown key. */
jsn_status jsni_json_refuse(const jsni_json *value, const char *sentence);

/* ---- writing ---------------------------------------------------------------------- */

typedef struct jsni_json_writer jsni_json_writer;

/* `indent` 0: everything on one line; n: entries on lines of their own, indented by n
 * spaces a level (at most 8). */
JSN_MUST_CHECK jsn_status jsni_json_writer_create(jsni_json_writer **out, int indent);
void jsni_json_writer_destroy(jsni_json_writer *writer); /* accepts NULL */

/* `key` names the value inside an object and is NULL inside an array and at the top.
 * Failures (no memory, a key where none belongs, nesting beyond JSNI_JSON_MAX_DEPTH)
 * stick and come out of jsni_json_writer_take(). */
void jsni_json_begin_object(jsni_json_writer *writer, const char *key);
void jsni_json_begin_array(jsni_json_writer *writer, const char *key);
void jsni_json_end(jsni_json_writer *writer); /* of the innermost one */
void jsni_json_put_null(jsni_json_writer *writer, const char *key);
void jsni_json_put_bool(jsni_json_writer *writer, const char *key, bool value);
void jsni_json_put_int(jsni_json_writer *writer, const char *key, int64_t value);
/* The shortest digits that read back to the same double; NaN and infinities, which
 * JSON lacks, become null. */
void jsni_json_put_real(jsni_json_writer *writer, const char *key, double value);
/* Bytes that are not UTF-8 become U+FFFD. NULL becomes null. */
void jsni_json_put_text(jsni_json_writer *writer, const char *key, const char *value);
/* A copy of a whole value of a tree, numbers with the characters they had. */
void jsni_json_put_value(jsni_json_writer *writer, const char *key,
                         const jsni_json *value);

/* Hands the text over (jsn_text_release()) and makes the writer ready for another
 * value. *out is NULL on failure.
 *   JSN_ERR_ARGUMENT  not exactly one complete value, or a key out of place
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_json_writer_take(jsni_json_writer *writer, char **out);

#endif /* JSNI_CORE_JSON_H */
