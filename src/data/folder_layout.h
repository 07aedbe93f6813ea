/* data/folder_layout.h - which file of a folder or archive is a sample of which class:
 * torchvision's ImageFolder rules, with splits.
 *
 * A folder of the root is a class, its images, at any depth, are the samples; classes are
 * numbered in the order of their names, samples ordered by folder, then by name. A root
 * that holds train/, val/ or test/ (or training, valid, validation, testing, in any case)
 * with class folders below has those splits; where images lie directly in it, a folder of
 * such a name is a class beside others. Images outside any class folder do not count, and
 * are told of; hidden files do not count.
 */
#ifndef JSNI_DATA_FOLDER_LAYOUT_H
#define JSNI_DATA_FOLDER_LAYOUT_H

#include "data/dataset_impl.h"
#include "data/listing.h"

typedef struct jsni_layout_row {
    size_t file; /* number in the listing */
    jsn_split split;
    int32_t label;
} jsni_layout_row;

typedef struct jsni_folder_layout {
    jsni_layout_row *rows; /* sorted by split, class, folder, name */
    size_t count;
    size_t strip; /* bytes of the names that are no part of the sample's name */
} jsni_folder_layout;

/* Adds the classes to `data`, unless it has them already: then every class folder must
 * bear the name of one. `archived`: a single folder around everything is passed over.
 * `logger`, which may be NULL, hears of images that are not used and of class folders
 * without any.
 *   JSN_ERR_DATA  no images, a class that only another split has, classes beside splits;
 *                 `where` stands for the root in the sentence */
JSN_MUST_CHECK jsn_status jsni_folder_layout_make(jsni_folder_layout *out,
                                                  jsn_dataset *data, const char *where,
                                                  const jsni_listing *files,
                                                  const jsni_listing *folders,
                                                  bool archived,
                                                  const jsn_logger *logger);
void jsni_folder_layout_release(jsni_folder_layout *layout);

/* Opens a folder or archive of images by these rules: what folder:PATH does, and what
 * the CIFAR entries do with images. */
JSN_MUST_CHECK jsn_status jsni_folder_open(jsn_dataset *data, const char *path,
                                           const jsn_dataset_options *options);

#endif /* JSNI_DATA_FOLDER_LAYOUT_H */
