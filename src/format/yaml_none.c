/* format/yaml_none.c - the build without libyaml: JSON, which is YAML as well, is still
 * read; see yaml.h. */
#include <string.h>

#include "core/fail.h"
#include "format/yaml.h"

jsn_status jsni_yaml_parse(jsn_json **out, const char *name, const char *data,
                           size_t length)
{
    size_t i = 0;
    *out = NULL;
    while (i < length && data[i] != '\0' && strchr(" \t\r\n", data[i]) != NULL)
        i++;
    if (i < length && data[i] == '{')
        return jsn_json_parse(out, name, data, length);
    return jsni_fail(JSN_ERR_UNSUPPORTED,
                     "%s: this build has no libyaml and reads JSON alone", name);
}
