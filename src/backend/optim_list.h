/* backend/optim_list.h - the table of optimisers. To add one, write
 * backend/optim_<id>.c, its rule in update_rule.h and its row here. */
#ifndef JSNI_BACKEND_OPTIM_LIST_H
#define JSNI_BACKEND_OPTIM_LIST_H

#define JSNI_OPTIM_LIST(X) X(sgd) X(adamw)

#endif /* JSNI_BACKEND_OPTIM_LIST_H */
