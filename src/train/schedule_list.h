/* train/schedule_list.h - the table of learning-rate schedules. To add one, write
 * train/schedule_<id>.c and add its row here. */
#ifndef JSNI_TRAIN_SCHEDULE_LIST_H
#define JSNI_TRAIN_SCHEDULE_LIST_H

#define JSNI_SCHEDULE_LIST(X) X(step) X(exp) X(cosine) X(constant)

#endif /* JSNI_TRAIN_SCHEDULE_LIST_H */
