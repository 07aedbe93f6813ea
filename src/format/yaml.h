/* format/yaml.h - configuration files: YAML (or JSON) into the tree of core/json.h,
 * and flat YAML out. Which reader is compiled, yaml.c or yaml_none.c, depends on
 * libyaml; the writer needs no library. */
#ifndef JSNI_FORMAT_YAML_H
#define JSNI_FORMAT_YAML_H

#include "core/json.h"
#include "core/text.h"

#define JSNI_YAML_MAX_BYTES ((size_t)4 << 20)

/* Reads one document of mappings, lists and scalars. Plain scalars are typed by YAML
 * 1.2's core schema (so `yes` and `on` are texts); quoted ones are texts. Refused, with
 * "name:line:": a key twice, anchors, aliases, tags, merge keys, keys that are not
 * scalars, several documents, .inf and .nan, more than JSNI_JSON_MAX_DEPTH levels. A
 * value's line is that of its key. An empty document is null.
 *   JSN_ERR_DATA
 *   JSN_ERR_UNSUPPORTED  not JSON, and this build has no libyaml
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_yaml_parse(jsni_json **out, const char *name,
                                          const char *data, size_t length);

/* The same from a file. A name that ends in ".json" is read as JSON. */
JSN_MUST_CHECK jsn_status jsni_yaml_read(jsni_json **out, const char *path);

/* "key: value" lines. A text is quoted when it would not read back as that text; a word
 * (number, true, null) is written as it is. */
void jsni_yaml_add_text(jsni_text *text, const char *key, const char *value);
void jsni_yaml_add_word(jsni_text *text, const char *key, const char *word);
void jsni_yaml_add_list(jsni_text *text, const char *key, const char *const *items,
                        size_t count);
void jsni_yaml_add_comment(jsni_text *text, const char *line); /* without newlines */

/* Types `value->text` by the core schema: null, bool, number or (unchanged) text. */
JSN_MUST_CHECK jsn_status jsni_yaml_resolve(jsni_json *value);

#endif /* JSNI_FORMAT_YAML_H */
