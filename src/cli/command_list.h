/* cli/command_list.h - the commands, in the order of `jensen --help`. To add one, write
 * cli/command_<id>.c, which defines cli_command_<id>, and add its row here. */
#ifndef JENSEN_CLI_COMMAND_LIST_H
#define JENSEN_CLI_COMMAND_LIST_H

/* clang-format off */
#define CLI_COMMAND_LIST(X) \
    X(demo) \
    X(train) \
    X(report) \
    X(check) \
    X(audit) \
    X(review) \
    X(labels_apply) \
    X(labels_diff) \
    X(labels_export) \
    X(labels_import) \
    X(predict) \
    X(eval) \
    X(export) \
    X(tune) \
    X(sweep_create) \
    X(sweep_search) \
    X(sweep_run) \
    X(sweep_worker) \
    X(sweep_status) \
    X(sweep_best) \
    X(sweep_export) \
    X(sweep_slurm) \
    X(sweep_delete) \
    X(repro) \
    X(weights_import) \
    X(weights_fetch) \
    X(weights_list) \
    X(weights_show) \
    X(weights_remove) \
    X(data_info) \
    X(data_check) \
    X(data_convert) \
    X(data_fetch) \
    X(noise) \
    X(augment) \
    X(loss) \
    X(plugin_new) \
    X(show_losses) \
    X(show_methods) \
    X(show_networks) \
    X(show_recipes) \
    X(show_datasets) \
    X(show_noise) \
    X(show_augment) \
    X(show_optimizers) \
    X(show_schedules) \
    X(show_limits) \
    X(theory_bounds) \
    X(theory_limits) \
    X(theory_decompose) \
    X(theory_match_gce) \
    X(theory_risk) \
    X(theory_plot) \
    X(bench_loss) \
    X(bench_step) \
    X(bench_predict) \
    X(bench_epoch) \
    X(bench_augment) \
    X(bench_decode) \
    X(bench_load) \
    X(doctor)
/* clang-format on */

#endif /* JENSEN_CLI_COMMAND_LIST_H */
