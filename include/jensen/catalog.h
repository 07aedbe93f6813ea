/* jensen/catalog.h - what specs and options can name: one walk over any of the tables.
 *
 *     jsn_entry entry;
 *     for (size_t i = 0; (entry = jsn_catalog_at(JSN_CATALOG_NOISE, i)).name != NULL; i++)
 *         printf("%s: %s\n", entry.name, entry.summary);
 *
 * Losses tell more in jsn_loss_describe(), networks in jsn_network_find(), and the stages
 * of augmentation are in jsn_augment_describe().
 */
#ifndef JENSEN_CATALOG_H
#define JENSEN_CATALOG_H

#include <stddef.h>

#include "jensen/param.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jsn_catalog {
    JSN_CATALOG_LOSSES,
    JSN_CATALOG_METHODS, /* that remember each sample: "jensen train --method" */
    JSN_CATALOG_NOISE,
    JSN_CATALOG_DATASETS,
    JSN_CATALOG_NETWORKS,
    JSN_CATALOG_OPTIMISERS,
    JSN_CATALOG_AUDIT_METHODS,  /* of jsn_audit_options */
    JSN_CATALOG_EXPORT_FORMATS, /* of jsn_export_options */
    JSN_CATALOG_LABEL_FORMATS,  /* of jsn_labels_exchange */
    JSN_CATALOG_SCHEDULES,      /* of learning rates: "jensen train --schedule" */
    JSN_CATALOGS                /* how many there are */
} jsn_catalog;

/* The entry at `index`; all zero behind the last, and for a table that does not exist. */
JSN_API jsn_entry jsn_catalog_at(jsn_catalog table, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_CATALOG_H */
