/* tests/api/misuse_runs.c - see misuse.h: jensen/recipe.h, jensen/report.h, jensen/repro.h, jensen/review.h, jensen/sweep.h, jensen/train.h. */
#include "api/misuse.h"

static void misuse_run_check(misuse *m)
{
    jsn_run_checked checked;
    REFUSED(jsn_run_check(NULL, place()));
    REFUSED(jsn_run_check(&checked, NULL));
    REFUSED(jsn_run_check(&checked, place()));
    DOES(jsn_run_checked_release(NULL));
    GIVES(jsn_run_file_state_name((jsn_run_file_state)77));
}

static void misuse_recipe(misuse *m)
{
    jsn_recipe recipe;
    REFUSED(jsn_recipe_at(1, NULL));
    TAKEN(jsn_recipe_at(0, &recipe));
    REFUSED(jsn_recipe_at(SIZE_MAX, &recipe));
    GIVES(jsn_recipe_value(NULL, "x"));
    GIVES(jsn_recipe_value(thing_recipe(), NULL));
    GIVES(jsn_recipe_value(NULL, NULL));
}

static void misuse_report(misuse *m)
{
    char *text = NULL;
    const char *const names[] = {"x"};
    REFUSED(jsn_plot_render(NULL, "x", false, &text));
    TAKEN(jsn_plot_render("js-ce-mae", NULL, false, &text));
    REFUSED(jsn_plot_render("js-ce-mae", "x", false, NULL));
    REFUSED(jsn_plot_render(NULL, NULL, false, NULL));
    REFUSED(jsn_plot_write(NULL, "x", false, place()));
    TAKEN(jsn_plot_write("js-ce-mae", NULL, false, place()));
    REFUSED(jsn_plot_write("js-ce-mae", "x", false, NULL));
    REFUSED(jsn_plot_write(NULL, NULL, false, NULL));
    REFUSED(jsn_report_write(NULL, 1, "x", place()));
    REFUSED(jsn_report_write(names, 1, NULL, place()));
    REFUSED(jsn_report_write(names, 1, "x", NULL));
    REFUSED(jsn_report_write(NULL, 1, NULL, NULL));
    REFUSED(jsn_report_write(names, 0, "x", place()));
    REFUSED(jsn_report_curves(NULL, 1, place()));
    REFUSED(jsn_report_curves(names, 1, NULL));
    REFUSED(jsn_report_curves(NULL, 1, NULL));
    REFUSED(jsn_report_curves(names, 0, place()));
    REFUSED(jsn_report_run(NULL, false));
    REFUSED(jsn_report_table(NULL, 1, NULL, "csv", &text));
    REFUSED(jsn_report_table(names, 1, NULL, NULL, &text));
    REFUSED(jsn_report_table(names, 1, NULL, "csv", NULL));
    REFUSED(jsn_report_table(NULL, 1, NULL, NULL, NULL));
    REFUSED(jsn_report_table(names, 0, NULL, "csv", &text));
    REFUSED(jsn_report_table(NULL, 1, "loss:noise", "csv", &text));
    REFUSED(jsn_report_table(names, 1, "loss:noise", NULL, &text));
    REFUSED(jsn_report_table(names, 1, "loss:noise", "csv", NULL));
    REFUSED(jsn_report_table(names, 0, "loss:noise", "csv", &text));
}

static void misuse_repro(misuse *m)
{
    jsn_repro_entry entry;
    const jsn_repro_settings settings = {.name = "x"};
    jsn_sweep *sweep = NULL;
    char *text = NULL;
    GIVES(jsn_repro_at(1, NULL));
    GIVES(jsn_repro_at(0, &entry));
    GIVES(jsn_repro_at(SIZE_MAX, &entry));
    REFUSED(jsn_repro_lookup(NULL, NULL, &entry));
    REFUSED(jsn_repro_lookup("x", NULL, NULL));
    REFUSED(jsn_repro_lookup(NULL, NULL, NULL));
    REFUSED(jsn_repro_prepare(NULL, place(), &settings, thing_config()));
    REFUSED(jsn_repro_prepare(&sweep, NULL, &settings, thing_config()));
    REFUSED(jsn_repro_prepare(&sweep, place(), NULL, thing_config()));
    REFUSED(jsn_repro_prepare(&sweep, place(), &settings, NULL));
    REFUSED(jsn_repro_prepare(NULL, NULL, NULL, NULL));
    REFUSED(jsn_repro_evaluate(NULL, &settings, "cpu", 1, NULL));
    REFUSED(jsn_repro_evaluate(NULL, NULL, NULL, 0, NULL));
    REFUSED(jsn_repro_render(NULL, &settings, thing_config(), "csv", &text));
    REFUSED(jsn_repro_render(thing_sweep(), NULL, thing_config(), "csv", &text));
    REFUSED(jsn_repro_render(thing_sweep(), &settings, NULL, "csv", &text));
    REFUSED(jsn_repro_render(thing_sweep(), &settings, thing_config(), NULL, &text));
    REFUSED(jsn_repro_render(thing_sweep(), &settings, thing_config(), "csv", NULL));
    REFUSED(jsn_repro_render(NULL, NULL, NULL, NULL, NULL));
    REFUSED(jsn_repro_write(NULL, &settings, thing_config(), place()));
    REFUSED(jsn_repro_write(thing_sweep(), NULL, thing_config(), place()));
    REFUSED(jsn_repro_write(thing_sweep(), &settings, NULL, place()));
    REFUSED(jsn_repro_write(thing_sweep(), &settings, thing_config(), NULL));
    REFUSED(jsn_repro_write(NULL, NULL, NULL, NULL));
    REFUSED(jsn_study_export(NULL, NULL, "csv", place(), &text));
    REFUSED(jsn_study_export(thing_sweep(), NULL, NULL, place(), &text));
    TAKEN(jsn_study_export(thing_sweep(), NULL, "csv", NULL, &text));
    TAKEN(jsn_study_export(thing_sweep(), NULL, "csv", place(), NULL));
    REFUSED(jsn_study_export(thing_sweep(), NULL, "csv", NULL, NULL));
    REFUSED(jsn_study_export(NULL, NULL, NULL, NULL, NULL));
    REFUSED(jsn_study_export(NULL, "loss:noise", "csv", NULL, &text));
    REFUSED(jsn_study_export(thing_sweep(), "loss:noise", NULL, NULL, &text));
    REFUSED(jsn_study_export(thing_sweep(), "loss:noise", "csv", NULL, NULL));
    /* No run of a winner. */
    REFUSED(jsn_study_export(thing_sweep(), JSN_STUDY_WINNERS, "csv", NULL, &text));
}

static jsn_status no_difference(void *user, const char *path, const char *before,
                                const char *after)
{
    (void)user;
    (void)path;
    (void)before;
    (void)after;
    return JSN_OK;
}

static int at_once(void *user)
{
    (void)user;
    return 1;
}

static void misuse_exchange(misuse *m)
{
    size_t images = 0;
    jsn_labels_exchange job;
    jsn_labels_imported imported;
    DOES(jsn_labels_exchange_init(NULL));
    jsn_labels_exchange_init(&job);
    REFUSED(jsn_labels_export(NULL, &images));
    REFUSED(jsn_labels_export(&job, &images));
    REFUSED(jsn_labels_import(NULL, &imported));
    REFUSED(jsn_labels_import(&job, &imported));
    job.folder = job.file = place();
    job.format = "nothing";
    REFUSED(jsn_labels_export(&job, &images));
    REFUSED(jsn_labels_import(&job, &imported));
    job.format = "csv";
    REFUSED(jsn_labels_export(&job, NULL));
    REFUSED(jsn_labels_export(&job, &images));
    REFUSED(jsn_labels_import(&job, NULL));
    REFUSED(jsn_labels_import(&job, &imported));
}

static void misuse_review(misuse *m)
{
    jsn_audit_job job;
    jsn_labels_job labels = {0};
    jsn_labels_result result;
    jsn_review_job review;
    jsn_review_result reviewed;
    jsn_audit_job_init(&job);
    DOES(jsn_audit_job_init(NULL));
    REFUSED(jsn_audit_data(NULL, NULL, NULL));
    REFUSED(jsn_audit_data(&job, NULL, NULL));
    job.data = place();
    REFUSED(jsn_audit_data(&job, NULL, NULL));
    job.folds = 1;
    REFUSED(jsn_audit_data(&job, NULL, NULL));
    jsn_audit_check check;
    jsn_audit_left left;
    DOES(jsn_audit_check_init(NULL));
    jsn_audit_check_init(&check);
    REFUSED(jsn_audit_again(NULL, &left));
    REFUSED(jsn_audit_again(&check, &left));
    check.folder = place();
    REFUSED(jsn_audit_again(&check, NULL));
    REFUSED(jsn_audit_again(&check, &left));
    check.confidence = 2.0;
    REFUSED(jsn_audit_again(&check, &left));
    DOES(jsn_review_job_init(NULL));
    jsn_review_job_init(&review);
    REFUSED(jsn_review(NULL, NULL, &reviewed));
    REFUSED(jsn_review(&review, NULL, &reviewed));
    review.folder = place();
    REFUSED(jsn_review(&review, NULL, &reviewed));
    review.stop = at_once;
    REFUSED(jsn_review(&review, NULL, NULL));
    REFUSED(jsn_review(&review, NULL, &reviewed));
    REFUSED(jsn_labels_apply(NULL, &result));
    REFUSED(jsn_labels_apply(&labels, &result));
    DOES(jsn_labels_job_init(NULL));
    jsn_labels_job_init(&labels);
    size_t moved = 0;
    REFUSED(jsn_labels_undo(NULL, NULL, &moved));
    REFUSED(jsn_labels_undo(place(), NULL, NULL));
    REFUSED(jsn_labels_undo(place(), NULL, &moved));
    labels.folder = labels.out = place();
    REFUSED(jsn_labels_apply(&labels, NULL));
    REFUSED(jsn_labels_apply(&labels, &result));
    labels.out = NULL;
    REFUSED(jsn_labels_apply(&labels, &result));
    REFUSED(jsn_labels_diff(NULL, place(), no_difference, NULL));
    REFUSED(jsn_labels_diff(place(), NULL, no_difference, NULL));
    REFUSED(jsn_labels_diff(place(), place(), NULL, NULL));
    REFUSED(jsn_labels_diff(place(), place(), no_difference, NULL));
    misuse_exchange(m);
}

static void misuse_sweep(misuse *m)
{
    jsn_sweep *sweep = NULL;
    jsn_sweep_counts counts;
    size_t size = 0;
    const jsn_sweep_worker worker = {0};
    jsn_sweep_trial *trials = NULL;
    jsn_sweep_choice choice = {0};
    jsn_tune_result tuned;
    GIVES(jsn_sweep_plan_options(NULL));
    REFUSED(jsn_sweep_plan_init(NULL));
    DOES(jsn_sweep_plan_release(NULL));
    REFUSED(jsn_sweep_plan_read(NULL, thing_plan(), thing_config()));
    REFUSED(jsn_sweep_plan_read(place(), NULL, thing_config()));
    REFUSED(jsn_sweep_plan_read(place(), thing_plan(), NULL));
    REFUSED(jsn_sweep_plan_read(NULL, NULL, NULL));
    REFUSED(jsn_sweep_create(&sweep, NULL, "x", thing_plan(), thing_config()));
    REFUSED(jsn_sweep_create(&sweep, place(), NULL, thing_plan(), thing_config()));
    REFUSED(jsn_sweep_create(&sweep, place(), "x", NULL, thing_config()));
    REFUSED(jsn_sweep_create(&sweep, place(), "x", thing_plan(), NULL));
    REFUSED(jsn_sweep_create(NULL, NULL, NULL, NULL, NULL));
    REFUSED(jsn_sweep_search(NULL, place(), "x", thing_plan(), thing_config()));
    REFUSED(jsn_sweep_search(&sweep, NULL, "x", thing_plan(), thing_config()));
    REFUSED(jsn_sweep_search(&sweep, place(), NULL, thing_plan(), thing_config()));
    REFUSED(jsn_sweep_search(&sweep, place(), "x", NULL, thing_config()));
    REFUSED(jsn_sweep_search(&sweep, place(), "x", thing_plan(), NULL));
    REFUSED(jsn_sweep_search(&sweep, place(), "x", thing_plan(), thing_config()));
    REFUSED(jsn_sweep_open(NULL, place(), "x"));
    REFUSED(jsn_sweep_open(&sweep, NULL, "x"));
    REFUSED(jsn_sweep_open(&sweep, place(), NULL));
    REFUSED(jsn_sweep_open(NULL, NULL, NULL));
    REFUSED(jsn_sweep_open_to_read(NULL, place(), "x"));
    REFUSED(jsn_sweep_open_to_read(&sweep, NULL, "x"));
    REFUSED(jsn_sweep_open_to_read(&sweep, place(), NULL));
    REFUSED(jsn_sweep_open_to_read(NULL, NULL, NULL));
    REFUSED(jsn_sweep_delete(NULL));
    DOES(jsn_sweep_close(NULL));
    GIVES(jsn_sweep_about(NULL));
    REFUSED(jsn_sweep_count(NULL, &counts));
    REFUSED(jsn_sweep_count(thing_sweep(), NULL));
    REFUSED(jsn_sweep_count(NULL, NULL));
    REFUSED(jsn_sweep_retry(NULL, &size));
    TAKEN(jsn_sweep_retry(thing_sweep(), NULL));
    REFUSED(jsn_sweep_retry(NULL, NULL));
    DOES(jsn_sweep_worker_init(NULL));
    REFUSED(jsn_sweep_work(NULL, &worker, NULL, NULL, NULL, &size));
    REFUSED(jsn_sweep_work(thing_sweep(), NULL, NULL, NULL, NULL, &size));
    TAKEN(jsn_sweep_work(thing_sweep(), &worker, NULL, NULL, NULL, &size));
    TAKEN(jsn_sweep_work(thing_sweep(), &worker, NULL, NULL, NULL, NULL));
    REFUSED(jsn_sweep_work(NULL, NULL, NULL, NULL, NULL, NULL));
    GIVES(jsn_sweep_state_name((jsn_sweep_state)77));
    REFUSED(jsn_sweep_trials(NULL, &trials, &size));
    REFUSED(jsn_sweep_trials(thing_sweep(), NULL, &size));
    REFUSED(jsn_sweep_trials(thing_sweep(), &trials, NULL));
    REFUSED(jsn_sweep_trials(NULL, NULL, NULL));
    DOES(jsn_sweep_trials_release(NULL, 1));
    DOES(jsn_sweep_trials_release(NULL, 0));
    GIVES(jsn_sweep_option(NULL, "x"));
    GIVES(jsn_sweep_option(thing_trial(), NULL));
    GIVES(jsn_sweep_option(NULL, NULL));
    GIVES(jsn_sweep_fact(NULL, "x"));
    GIVES(jsn_sweep_fact(thing_trial(), NULL));
    GIVES(jsn_sweep_fact(NULL, NULL));
    REFUSED(jsn_sweep_choose(NULL, thing_trial(), 1, "x", &choice));
    REFUSED(jsn_sweep_choose(thing_sweep(), NULL, 1, "x", &choice));
    TAKEN(jsn_sweep_choose(thing_sweep(), thing_trial(), 1, NULL, &choice));
    REFUSED(jsn_sweep_choose(thing_sweep(), thing_trial(), 1, "x", NULL));
    REFUSED(jsn_sweep_choose(NULL, NULL, 1, NULL, NULL));
    TAKEN(jsn_sweep_choose(thing_sweep(), thing_trial(), 0, "x", &choice));
    DOES(jsn_sweep_choice_release(NULL));
    REFUSED(jsn_tune(NULL, "x", thing_config(), 1, &worker, NULL, NULL, NULL, &tuned));
    REFUSED(
        jsn_tune(place(), NULL, thing_config(), 1, &worker, NULL, NULL, NULL, &tuned));
    REFUSED(jsn_tune(place(), "x", NULL, 1, &worker, NULL, NULL, NULL, &tuned));
    REFUSED(jsn_tune(place(), "x", thing_config(), 1, NULL, NULL, NULL, NULL, &tuned));
    REFUSED(
        jsn_tune(place(), "x", thing_config(), 1, &worker, NULL, NULL, NULL, &tuned));
    REFUSED(jsn_tune(place(), "x", thing_config(), 1, &worker, NULL, NULL, NULL, NULL));
    REFUSED(jsn_tune(NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL));
    REFUSED(
        jsn_tune(place(), "x", thing_config(), -1, &worker, NULL, NULL, NULL, &tuned));
}

static void misuse_train(misuse *m)
{
    jsn_train_result trained = {0};
    char *text = NULL, word[8];
    const char *const names[] = {"x"};
    jsn_array array = {0};
    GIVES(jsn_train_options(NULL));
    GIVES(jsn_train_option_matters(NULL));
    DOES(jsn_train_config_clear(NULL));
    REFUSED(jsn_train_config_set(NULL, "x", "x"));
    REFUSED(jsn_train_config_set(thing_config(), NULL, "x"));
    REFUSED(jsn_train_config_set(thing_config(), "x", NULL));
    REFUSED(jsn_train_config_set(NULL, NULL, NULL));
    REFUSED(jsn_train_config_read_file(NULL));
    REFUSED(jsn_train_config_resolve(NULL));
    DOES(jsn_train_config_release(NULL));
    REFUSED(jsn_train(NULL, NULL, NULL, NULL, &trained));
    REFUSED(jsn_train(thing_config(), NULL, NULL, NULL, &trained));
    REFUSED(jsn_train(thing_config(), NULL, NULL, NULL, NULL));
    REFUSED(jsn_train(NULL, NULL, NULL, NULL, NULL));
    REFUSED(jsn_train_watched(NULL, 1, NULL, NULL, &trained));
    REFUSED(jsn_train_watched(thing_config(), 1, NULL, NULL, &trained));
    REFUSED(jsn_train_watched(thing_config(), 1, NULL, NULL, NULL));
    REFUSED(jsn_train_watched(thing_config(), 0, NULL, NULL, &trained));
    DOES(jsn_epoch_text(NULL, word, sizeof word));
    DOES(jsn_epoch_text(NULL, NULL, 0));
    REFUSED(jsn_train_result_json(NULL, &text));
    REFUSED(jsn_train_result_json(&trained, NULL));
    REFUSED(jsn_train_result_json(NULL, NULL));
    REFUSED(jsn_run_posteriors(NULL, names, 1, 1, &array));
    REFUSED(jsn_run_posteriors("x", NULL, 1, 1, &array));
    REFUSED(jsn_run_posteriors("x", names, 1, 1, NULL));
    REFUSED(jsn_run_posteriors(NULL, NULL, 1, 1, NULL));
    REFUSED(jsn_run_posteriors("x", names, 0, 1, &array));
    REFUSED(jsn_run_posteriors("x", names, 1, 0, &array));
    REFUSED(jsn_run_posteriors("x", names, 1, SIZE_MAX, &array));
}

void misuse_runs(misuse *m)
{
    misuse_run_check(m);
    misuse_recipe(m);
    misuse_report(m);
    misuse_repro(m);
    misuse_review(m);
    misuse_sweep(m);
    misuse_train(m);
}
