/* loss/plugin_source.h - what a GPU needs of a plugin: its source, and a compiler for it. */
#ifndef JSNI_LOSS_PLUGIN_SOURCE_H
#define JSNI_LOSS_PLUGIN_SOURCE_H

#include "jensen/status.h"

/* The source of the plugin `file`: the same name with .c, beside it. *out is the caller's
 * (jsni_free).
 *   JSN_ERR_UNSUPPORTED  it is not there, or newer than the plugin */
JSN_MUST_CHECK jsn_status jsni_plugin_source(const char *file, char **out);

/* The path of nvcc: of CUDA_HOME, PATH or /usr/local/cuda. *out is the caller's (jsni_free).
 *   JSN_ERR_UNSUPPORTED  there is none */
JSN_MUST_CHECK jsn_status jsni_plugin_compiler(char **out);

#endif /* JSNI_LOSS_PLUGIN_SOURCE_H */
