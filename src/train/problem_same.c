/* train/problem_same.c - see problem.h: evaluation on the images that were trained on. As
 * many images with the same labels in the same order are suspicious; the pixels of a few
 * of them tell, whatever the two are called. */
#include <stdio.h>
#include <string.h>

#include "train/problem.h"

enum { PROBES = 8 };

static bool same_labels(const jsni_problem *p, const jsni_part *part)
{
    const size_t count = jsn_dataset_samples(p->data, p->train.split);
    if (part->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (part->given[i] != jsn_dataset_label(p->data, p->train.split, i))
            return false;
    return true;
}

static bool same_pixels(const jsni_problem *p, const jsni_part *part)
{
    jsn_image own = {0}, other = {0};
    size_t same = 0, seen = 0;
    for (size_t k = 0; k < PROBES; k++) {
        const size_t i = k * (part->count - 1) / (PROBES - 1);
        if (jsn_dataset_image(p->data, p->train.split, i, &own) != JSN_OK ||
            jsn_dataset_image(part->data, part->split, part->index[i], &other) !=
                JSN_OK)
            continue;
        seen++;
        same += own.width == other.width && own.height == other.height &&
                memcmp(own.data, other.data,
                       own.width * own.height * JSN_IMAGE_CHANNELS) == 0;
    }
    jsn_image_release(&own);
    jsn_image_release(&other);
    return seen > 0 && same == seen;
}

void jsni_problem_warn_of_same(const jsni_problem *p, const jsn_logger *logger)
{
    const struct {
        const jsni_part *part;
        const char *name;
    } parts[] = {{&p->val, "validation"}, {&p->test, "test"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const jsni_part *part = parts[i].part;
        if (part->data == NULL || logger == NULL || logger->message == NULL ||
            !same_labels(p, part) || !same_pixels(p, part))
            continue;
        char text[256];
        (void)snprintf(text, sizeof text,
                       "the %s images are the training images (%s): the accuracy on "
                       "them says nothing of new ones",
                       parts[i].name, jsn_dataset_about(part->data)->spec);
        logger->message(logger->user, JSN_LOG_WARNING, text);
    }
}
