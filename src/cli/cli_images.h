/* cli/cli_images.h - image files named on a command line: files as they are, folders
 * walked. */
#ifndef JENSEN_CLI_IMAGES_H
#define JENSEN_CLI_IMAGES_H

#include "jensen/option.h"

/* Adds `path`, or, when it is a folder, the files below it whose names end like an
 * image's, sorted by name; a folder that cannot be read is JSN_ERR_DATA. */
JSN_MUST_CHECK jsn_status cli_images_add(jsn_texts *paths, const char *path);

#endif /* JENSEN_CLI_IMAGES_H */
