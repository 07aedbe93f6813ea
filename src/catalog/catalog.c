/* catalog/catalog.c - the tables of all modules behind one function. */
#include "jensen/catalog.h"

#include "audit/audit_impl.h"
#include "backend/optim_impl.h"
#include "data/dataset_impl.h"
#include "export/export_impl.h"
#include "loss/loss_impl.h"
#include "nn/network_impl.h"
#include "noise/noise_impl.h"
#include "review/label_format.h"
#include "train/schedule.h"

static jsn_entry (*const tables[JSN_CATALOGS])(size_t index) = {
    [JSN_CATALOG_LOSSES] = jsni_loss_entry,
    [JSN_CATALOG_METHODS] = jsni_method_entry,
    [JSN_CATALOG_NOISE] = jsni_noise_entry,
    [JSN_CATALOG_DATASETS] = jsni_dataset_entry,
    [JSN_CATALOG_NETWORKS] = jsni_network_entry,
    [JSN_CATALOG_OPTIMISERS] = jsni_optim_entry,
    [JSN_CATALOG_AUDIT_METHODS] = jsni_audit_entry,
    [JSN_CATALOG_EXPORT_FORMATS] = jsni_export_entry,
    [JSN_CATALOG_LABEL_FORMATS] = jsni_label_format_entry,
    [JSN_CATALOG_SCHEDULES] = jsni_schedule_entry,
};

jsn_entry jsn_catalog_at(jsn_catalog table, size_t index)
{
    return (unsigned)table < JSN_CATALOGS ? tables[table](index) : (jsn_entry){0};
}
