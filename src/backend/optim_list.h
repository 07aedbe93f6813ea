/* backend/optim_list.h - the table of optimisers. To add one, write backend/optim_<id>.c
 * and add its row here. CPU backends and the CUDA backend build their tables from it. */
#ifndef JSNI_BACKEND_OPTIM_LIST_H
#define JSNI_BACKEND_OPTIM_LIST_H

#define JSNI_OPTIM_LIST(X) X(sgd) X(adamw) X(lion)

#endif /* JSNI_BACKEND_OPTIM_LIST_H */
