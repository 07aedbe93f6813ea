/* examples/losses.c - the generalised Jensen-Shannon loss of a tiny batch, through the
 * installed library. Two views of two samples over three classes; prints the mean loss,
 * the loss of each sample and the gradient with respect to the logits.
 *
 *     cc losses.c $(pkg-config --cflags --libs jensen) -o losses
 */
#include <stdio.h>

#include <jensen/loss.h>

enum { VIEWS = 2, SAMPLES = 2, CLASSES = 3 };

int main(void)
{
    static const float logits[VIEWS][SAMPLES][CLASSES] = {
        {{2.0f, 0.5f, -1.0f}, {0.1f, 0.2f, 0.3f}},
        {{1.5f, 0.0f, -0.5f}, {0.4f, -0.2f, 0.0f}},
    };
    static const int32_t labels[SAMPLES] = {0, 2};
    float gradient[VIEWS][SAMPLES][CLASSES];
    double values[SAMPLES];

    jsn_loss *loss = NULL;
    if (jsn_loss_create(&loss, "gjs:pi1=0.5", CLASSES, VIEWS) != JSN_OK) {
        fprintf(stderr, "losses: %s\n", jsn_last_error());
        return 1;
    }
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = SAMPLES;
    batch.logits = logits;
    batch.labels = labels;
    jsn_loss_result result = {.per_sample = values, .grad = gradient};
    const jsn_status status = jsn_loss_eval(loss, &batch, &result);
    if (status == JSN_OK) {
        printf("mean %.7f\n", result.mean);
        for (int i = 0; i < SAMPLES; i++)
            printf("sample %d: loss %.7f, gradient of view 0: %+.6f %+.6f %+.6f\n", i,
                   values[i], (double)gradient[0][i][0], (double)gradient[0][i][1],
                   (double)gradient[0][i][2]);
    } else {
        fprintf(stderr, "losses: %s\n", jsn_last_error());
    }
    jsn_loss_destroy(loss);
    return status == JSN_OK ? 0 : 1;
}
