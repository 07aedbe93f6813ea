/* jensen/json.h - JSON (RFC 8259): a strict reader that gives a tree of values, and a
 * writer that appends to a text.
 *
 *     jsn_json *doc = NULL;
 *     if (jsn_json_read(&doc, "losses.json") != JSN_OK) ...
 *     const jsn_json *cases = jsn_json_get(doc, "cases");
 *     for (size_t i = 0; i < jsn_json_count(cases); i++)
 *         if (jsn_json_get_real(jsn_json_at(cases, i), "pi1", &pi1) != JSN_OK) ...
 *     jsn_json_destroy(doc);
 *
 *     jsn_json_writer *w = NULL;
 *     if (jsn_json_writer_create(&w, 0) != JSN_OK) ...
 *     jsn_json_begin_object(w, NULL);
 *     jsn_json_put_real(w, "loss", 0.25);
 *     jsn_json_end(w);
 *     if (jsn_json_writer_take(w, &text) == JSN_OK)   // {"loss":0.25}
 *         puts(text);
 *     jsn_text_release(text);
 *     jsn_json_writer_destroy(w);
 *
 * YAML files are read into the same tree. A tree is read-only and may be used by
 * several threads; a writer belongs to one thread at a time.
 */
#ifndef JENSEN_JSON_H
#define JENSEN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of values in values that are read and written. */
enum { JSN_JSON_MAX_DEPTH = 128 };

typedef enum jsn_json_kind {
    JSN_JSON_NULL,
    JSN_JSON_BOOL,
    JSN_JSON_NUMBER,
    JSN_JSON_TEXT,
    JSN_JSON_ARRAY,
    JSN_JSON_OBJECT
} jsn_json_kind;

/* A value of a tree, or the whole tree. */
typedef struct jsn_json jsn_json;

/* Reads one value and nothing behind it but white space. Refused: anything outside
 * RFC 8259 (comments, trailing commas, NaN), a key twice in an object, text that is not
 * UTF-8, the character U+0000, numbers beyond the range of double, more than
 * JSN_JSON_MAX_DEPTH levels, more bytes than the limit `json` (jensen/limit.h). The
 * sentence begins
 * "name:line:column:". *out is NULL on failure, else the caller's: jsn_json_destroy().
 *   JSN_ERR_DATA, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_json_parse(jsn_json **out, const char *name,
                                                 const char *data, size_t length);

/* The same from a file. */
JSN_API JSN_MUST_CHECK jsn_status jsn_json_read(jsn_json **out, const char *path);

/* Frees the tree; `root` is what jsn_json_parse() or jsn_json_read() gave, or NULL. */
JSN_API void jsn_json_destroy(jsn_json *root);

/* Properties. `value` may be NULL in all of these (then: the kind is NULL, the numbers
 * are 0, the texts "", the pointers NULL), so that look-ups can be chained. */
JSN_API jsn_json_kind jsn_json_kind_of(const jsn_json *value);
JSN_API const char *jsn_json_kind_name(jsn_json_kind kind); /* "a number" */
JSN_API size_t jsn_json_line(const jsn_json *value);        /* first line is 1 */
JSN_API size_t jsn_json_count(const jsn_json *value);       /* of an array or object */
/* Entry `index` of an array or object, in the order of the file; NULL beyond. */
JSN_API const jsn_json *jsn_json_at(const jsn_json *value, size_t index);
/* The key of an object's entry, "" for other values; valid as long as the tree. */
JSN_API const char *jsn_json_key(const jsn_json *value);
/* The entry of an object with that key, or NULL. */
JSN_API const jsn_json *jsn_json_get(const jsn_json *object, const char *key);

JSN_API bool jsn_json_bool(const jsn_json *value);   /* false unless `true` */
JSN_API double jsn_json_real(const jsn_json *value); /* 0 unless a number */
JSN_API int64_t jsn_json_int(const jsn_json *value); /* 0 unless jsn_json_is_int() */
/* A number that is whole and fits; "4.0" and "1e3" are. */
JSN_API bool jsn_json_is_int(const jsn_json *value);
/* The text of a text; for a number, true, false and null the characters as they stand
 * in the file (what an option parser wants); "" for the others. */
JSN_API const char *jsn_json_text(const jsn_json *value);

/* Required entries of an object: JSN_ERR_DATA with "file:line: key 'x' ..." when the
 * entry is missing or of another kind; *out is then untouched. Texts are valid as long
 * as the tree. */
JSN_API JSN_MUST_CHECK jsn_status jsn_json_get_real(const jsn_json *object,
                                                    const char *key, double *out);
JSN_API JSN_MUST_CHECK jsn_status jsn_json_get_int(const jsn_json *object,
                                                   const char *key, int64_t *out);
JSN_API JSN_MUST_CHECK jsn_status jsn_json_get_bool(const jsn_json *object,
                                                    const char *key, bool *out);
JSN_API JSN_MUST_CHECK jsn_status jsn_json_get_text(const jsn_json *object,
                                                    const char *key, const char **out);
JSN_API JSN_MUST_CHECK jsn_status jsn_json_get_array(const jsn_json *object,
                                                     const char *key,
                                                     const jsn_json **out);
JSN_API JSN_MUST_CHECK jsn_status jsn_json_get_object(const jsn_json *object,
                                                      const char *key,
                                                      const jsn_json **out);

/* JSN_ERR_DATA with "file:line: " and `sentence`; for a caller that finds a value wrong
 * in a way the reader cannot know, such as an unknown key. */
JSN_API jsn_status jsn_json_refuse(const jsn_json *value, const char *sentence);

/* ---- writing ---------------------------------------------------------------------- */

typedef struct jsn_json_writer jsn_json_writer;

/* `indent` 0: everything on one line; n: entries on lines of their own, indented by n
 * spaces a level (at most 8). */
JSN_API JSN_MUST_CHECK jsn_status jsn_json_writer_create(jsn_json_writer **out,
                                                         int indent);
JSN_API void jsn_json_writer_destroy(jsn_json_writer *writer); /* accepts NULL */

/* `key` names the value inside an object and is NULL inside an array and at the top.
 * Failures (no memory, a key where none belongs, nesting beyond JSN_JSON_MAX_DEPTH)
 * stick and come out of jsn_json_writer_take(). */
JSN_API void jsn_json_begin_object(jsn_json_writer *writer, const char *key);
JSN_API void jsn_json_begin_array(jsn_json_writer *writer, const char *key);
JSN_API void jsn_json_end(jsn_json_writer *writer); /* of the innermost one */
JSN_API void jsn_json_put_null(jsn_json_writer *writer, const char *key);
JSN_API void jsn_json_put_bool(jsn_json_writer *writer, const char *key, bool value);
JSN_API void jsn_json_put_int(jsn_json_writer *writer, const char *key, int64_t value);
/* The shortest digits that read back to the same double; NaN and infinities, which
 * JSON lacks, become null. */
JSN_API void jsn_json_put_real(jsn_json_writer *writer, const char *key, double value);
/* Bytes that are not UTF-8 become U+FFFD. NULL becomes null. */
JSN_API void jsn_json_put_text(jsn_json_writer *writer, const char *key,
                               const char *value);
/* A copy of a whole value of a tree, numbers with the characters they had. */
JSN_API void jsn_json_put_value(jsn_json_writer *writer, const char *key,
                                const jsn_json *value);

/* Hands the text over (jsn_text_release()) and makes the writer ready for another
 * value. *out is NULL on failure.
 *   JSN_ERR_ARGUMENT  not exactly one complete value, or a key out of place
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_json_writer_take(jsn_json_writer *writer,
                                                       char **out);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_JSON_H */
