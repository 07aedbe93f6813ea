/* loss/loss_number.h - numbers of the losses in loss_list.h: JSNI_LOSS_AT_gjs. For the few
 * files that name another entry. */
#ifndef JSNI_LOSS_LOSS_NUMBER_H
#define JSNI_LOSS_LOSS_NUMBER_H

#include "loss/loss_list.h"

#define JSNI_LOSS_NUMBER(id) JSNI_LOSS_AT_##id,
enum { JSNI_LOSS_LIST(JSNI_LOSS_NUMBER) JSNI_LOSS_TOTAL };
#undef JSNI_LOSS_NUMBER

#endif /* JSNI_LOSS_LOSS_NUMBER_H */
