/* format/yaml.c - YAML through libyaml's event stream; see yaml.h. Without aliases a
 * document cannot grow beyond its source, so the size limit is the only guard needed. */
#include "format/yaml.h"

#include <string.h>
#include <yaml.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one, when `held` */
    bool held;
    jsni_json *root;
    size_t depth;
} reader;

static jsn_status refuse_at(const reader *r, size_t line, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s:%zu: %s", jsni_json_tree_name(r->root), line,
                     what);
}

static size_t line_of(const reader *r)
{
    return r->event.start_mark.line + 1;
}

static jsn_status refuse(const reader *r, const char *what)
{
    return refuse_at(r, line_of(r), what);
}

static jsn_status next(reader *r)
{
    if (r->held)
        yaml_event_delete(&r->event);
    r->held = false;
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        if (r->parser.error == YAML_MEMORY_ERROR)
            return jsni_fail(JSN_ERR_MEMORY, "no memory to parse YAML");
        const char *problem = r->parser.problem;
        return refuse_at(r, r->parser.problem_mark.line + 1,
                         problem == NULL ? "not YAML" : problem);
    }
    r->held = true;
    return JSN_OK;
}

static jsn_status copy_scalar(reader *r, const char **out)
{
    const size_t length = r->event.data.scalar.length;
    const char *from = (const char *)r->event.data.scalar.value;
    if (memchr(from, '\0', length) != NULL)
        return refuse(r, "the character U+0000 is not accepted");
    char *text = jsni_json_tree_text(r->root, length + 1);
    JSNI_TRY_ALLOC(text);
    memcpy(text, from, length);
    text[length] = '\0';
    *out = text;
    return JSN_OK;
}

static jsn_status refuse_marks(const reader *r, const yaml_char_t *anchor,
                               const yaml_char_t *tag)
{
    if (anchor != NULL)
        return refuse(r, "anchors are not accepted");
    if (tag != NULL)
        return refuse(r, "tags are not accepted");
    return JSN_OK;
}

static jsn_status parse_node(reader *r, jsni_json *value);

static jsn_status parse_key(reader *r, jsni_json *value)
{
    if (r->event.type != YAML_SCALAR_EVENT)
        return refuse(r, "a key is not a plain text");
    JSNI_TRY(refuse_marks(r, r->event.data.scalar.anchor, r->event.data.scalar.tag));
    JSNI_TRY(copy_scalar(r, &value->key));
    if (strcmp(value->key, "<<") == 0)
        return refuse(r, "merge keys are not accepted");
    return next(r);
}

/* Behind the start event, up to and with the end event. */
static jsn_status parse_entries(reader *r, jsni_json *parent, jsni_json_kind kind)
{
    const yaml_event_type_t end =
        kind == JSNI_JSON_OBJECT ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    jsni_json *first = NULL, **tail = &first;
    size_t count = 0;
    if (r->depth == JSNI_JSON_MAX_DEPTH)
        return refuse(r, "nested too deeply");
    r->depth++;
    JSNI_TRY(next(r));
    while (r->event.type != end) {
        jsni_json *value = jsni_json_tree_value(r->root, line_of(r));
        JSNI_TRY_ALLOC(value);
        if (kind == JSNI_JSON_OBJECT)
            JSNI_TRY(parse_key(r, value));
        JSNI_TRY(parse_node(r, value));
        *tail = value;
        tail = &value->next;
        count++;
        JSNI_TRY(next(r));
    }
    r->depth--;
    return jsni_json_tree_close(parent, kind, first, count);
}

/* The current event starts the node; afterwards it is the node's last one. */
static jsn_status parse_node(reader *r, jsni_json *value)
{
    const yaml_event_t *e = &r->event;
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        JSNI_TRY(refuse_marks(r, e->data.scalar.anchor, e->data.scalar.tag));
        JSNI_TRY(copy_scalar(r, &value->text));
        value->kind = JSNI_JSON_TEXT;
        return e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                   ? jsni_yaml_resolve(value)
                   : JSN_OK;
    case YAML_MAPPING_START_EVENT:
        JSNI_TRY(
            refuse_marks(r, e->data.mapping_start.anchor, e->data.mapping_start.tag));
        return parse_entries(r, value, JSNI_JSON_OBJECT);
    case YAML_SEQUENCE_START_EVENT:
        JSNI_TRY(
            refuse_marks(r, e->data.sequence_start.anchor, e->data.sequence_start.tag));
        return parse_entries(r, value, JSNI_JSON_ARRAY);
    case YAML_ALIAS_EVENT:
        return refuse(r, "aliases are not accepted");
    default:
        return refuse(r, "not YAML");
    }
}

static jsn_status parse_document(reader *r)
{
    JSNI_TRY(next(r)); /* start of the stream */
    JSNI_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return JSN_OK;
    JSNI_TRY(next(r)); /* behind the start of the document */
    r->root->line = (uint32_t)line_of(r);
    JSNI_TRY(parse_node(r, r->root));
    JSNI_TRY(next(r)); /* end of the document */
    JSNI_TRY(next(r));
    return r->event.type == YAML_STREAM_END_EVENT ? JSN_OK
                                                  : refuse(r, "more than one document");
}

jsn_status jsni_yaml_parse(jsni_json **out, const char *name, const char *data,
                           size_t length)
{
    reader r = {.held = false};
    *out = NULL;
    if (length > JSNI_YAML_MAX_BYTES)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: %zu bytes of YAML, more than the limit of %zu", name,
                         length, JSNI_YAML_MAX_BYTES);
    JSNI_TRY(jsni_json_tree_create(&r.root, name));
    if (!yaml_parser_initialize(&r.parser)) {
        jsni_json_destroy(r.root);
        return jsni_fail(JSN_ERR_MEMORY, "no memory to parse YAML");
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)data, length);
    const jsn_status status = parse_document(&r);
    if (r.held)
        yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    if (status == JSN_OK)
        *out = r.root;
    else
        jsni_json_destroy(r.root);
    return status;
}
