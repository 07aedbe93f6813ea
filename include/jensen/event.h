/* jensen/event.h - what happens in a run, as records. Whoever wants to know subscribes
 * with one function (jsn_train_watched() in jensen/train.h):
 *
 *     static jsn_status hear(void *user, const jsn_event *event)
 *     {
 *         if (event->kind == JSN_EVENT_EPOCH)
 *             printf("%s: epoch %lld, %.4f\n", event->run,
 *                    (long long)event->epoch->epoch, event->epoch->val_acc);
 *         return JSN_OK;
 *     }
 *
 * Of every run: one `opened`; then a `step` after each training step (after each chunk of
 * steps on a GPU) and an `epoch` after each epoch, in their order; at last one `stopped`
 * or one `finished`. A run that fails ends without either; the call says why.
 *
 * Records begin with their size. Later versions add fields at the end and never move one:
 * who is compiled against an older header reads the same numbers. Records and what they
 * point to are the library's and end with the call.
 */
#ifndef JENSEN_EVENT_H
#define JENSEN_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JSN_EVENT_VIEWS = 16 }; /* most views of a sample */

/* One epoch, measured. Accuracies and the like are shares in [0, 1]; NaN: not measured. */
typedef struct jsn_epoch {
    size_t size;    /* of this record */
    int64_t epoch;  /* from 1 */
    int64_t epochs; /* that the run is to have */
    size_t views;   /* of a sample: the entries used below */
    double lr;      /* of the last step */
    double loss;    /* mean over the samples */
    /* By view: the true class was found, of samples with a right label, a wrong one, all. */
    double train_acc_true[JSN_EVENT_VIEWS];
    double train_acc_noisy[JSN_EVENT_VIEWS];
    double train_acc_all[JSN_EVENT_VIEWS];
    double label_true_share; /* samples with a right label, of those trained on */
    double weight_norm2;     /* squared norm of the weights, biases left out */
    double val_acc;          /* against the true labels where they are known */
    double val_acc_noisy;    /* against the labels that a noisy validation set has */
    double val_loss;
    double test_acc, test_top5, test_loss;
    double test_ece; /* expected calibration error */
    double consistency, consistency_true, consistency_noisy;
    double images_per_second; /* view-images of the steps */
    double seconds;           /* of the run so far, all calls together */
    double time;              /* when it ended, seconds since 1970 */
} jsn_epoch;

/* The numbers that people ask for as a sentence, "epoch 3/60: loss 0.4133, train 61.20%,
 * val 70.10%", cut where `room` ends. */
JSN_API void jsn_epoch_text(const jsn_epoch *epoch, char *out, size_t room);

/* The run folder is there and the state loaded. */
typedef struct jsn_opened {
    size_t size;
    int64_t epoch;         /* epochs done, by earlier calls */
    int64_t epochs;        /* that the run is to have */
    uint64_t step;         /* steps of the epoch under way that are done */
    uint64_t steps;        /* of an epoch; 0: of a run that was finished before */
    const jsn_epoch *past; /* [past_count]: the epochs that are done, as far as known */
    size_t past_count;
} jsn_opened;

/* Some training steps were done. The numbers are those of the epoch so far. */
typedef struct jsn_step {
    size_t size;
    int64_t epoch;            /* the one under way, from 1 */
    int64_t epochs;           /* that the run is to have */
    uint64_t step;            /* steps of it that are done */
    uint64_t steps;           /* of an epoch */
    double loss, train_acc;   /* means so far, of the first view */
    double images_per_second; /* view-images; NaN: not known */
    double seconds_left;      /* until all runs of the call are done; NaN: not known */
} jsn_step;

/* The run was asked to stop, and has: its checkpoint is written, and the same call
 * continues it. */
typedef struct jsn_stopped {
    size_t size;
    int64_t epoch; /* epochs done */
    uint64_t step; /* steps of the next one that are done */
} jsn_stopped;

struct jsn_train_result; /* jensen/train.h */

/* All files of the run are written. */
typedef struct jsn_finished {
    size_t size;
    const struct jsn_train_result *result;
} jsn_finished;

typedef enum jsn_event_kind {
    JSN_EVENT_OPENED = 1,
    JSN_EVENT_STEP,
    JSN_EVENT_EPOCH,
    JSN_EVENT_STOPPED,
    JSN_EVENT_FINISHED
} jsn_event_kind; /* more may come: ignore what you do not know */

typedef struct jsn_event {
    size_t size;
    jsn_event_kind kind;
    size_t number;   /* which of the configurations of the call, from 0 */
    size_t member;   /* of an ensemble, from 1; 0: the run itself */
    const char *run; /* the run folder */
    /* The record of the kind; the others are NULL. */
    const jsn_opened *opened;
    const jsn_step *step;
    const jsn_epoch *epoch;
    const jsn_stopped *stopped;
    const jsn_finished *finished;
} jsn_event;

/* Called on the thread that trains, between two steps, with no lock held; training waits
 * until it returns. What it returns decides how the run goes on:
 *   JSN_OK           as if nobody had asked
 *   JSN_ERR_STOPPED  it stops as soon as it can, as by SIGTERM: the epoch under way is kept
 *                    in a checkpoint, and the call returns JSN_ERR_STOPPED. Runs beside it
 *                    on the same device stop as well. After `stopped` and `finished` there
 *                    is nothing left to stop.
 *   another status   it has failed, and the call returns that status; the last checkpoint
 *                    stays, and the same call continues from there */
typedef jsn_status jsn_event_fn(void *user, const jsn_event *event);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_EVENT_H */
