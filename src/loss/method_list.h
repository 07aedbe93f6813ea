/* loss/method_list.h - the table of methods, in the order of `jensen show methods`: losses
 * that remember something of each sample from epoch to epoch. To add one, write
 * loss/method_<id>.c and add its row here. */
#ifndef JSNI_LOSS_METHOD_LIST_H
#define JSNI_LOSS_METHOD_LIST_H

#define JSNI_METHOD_LIST(X) \
    X(elr)                  \
    X(sop)

#endif /* JSNI_LOSS_METHOD_LIST_H */
