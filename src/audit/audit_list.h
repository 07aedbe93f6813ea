/* audit/audit_list.h - the methods. To add one, write audit/audit_<id>.c, which defines
 * jsni_audit_<id>, and add its row here. */
#ifndef JSNI_AUDIT_LIST_H
#define JSNI_AUDIT_LIST_H

#define JSNI_AUDIT_LIST(X) \
    X(combined)            \
    X(unmixed)             \
    X(confident)           \
    X(self_confidence)     \
    X(margin)              \
    X(normalized_margin)   \
    X(entropy)             \
    X(agreement)           \
    X(consistency)

#endif /* JSNI_AUDIT_LIST_H */
