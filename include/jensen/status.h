/* jensen/status.h - what every libjensen call that can fail returns.
 *
 * A call returns JSN_OK or one of the codes below and never prints, exits or
 * aborts. The sentence behind the latest failure on this thread is kept for
 * jsn_last_error().
 *
 * A pointer that is needed and NULL is JSN_ERR_ARGUMENT, unless a header says that it may
 * be. What has no status answers NULL, 0 or NaN for it, and destroy, close and release
 * do nothing.
 */
#ifndef JENSEN_STATUS_H
#define JENSEN_STATUS_H

#if defined(__GNUC__)
#define JSN_API        __attribute__((visibility("default")))
#define JSN_MUST_CHECK __attribute__((warn_unused_result))
#else
#define JSN_API
#define JSN_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One list gives the enumerators and their texts, so the two cannot drift. */
#define JSN_STATUS_LIST(X)                                            \
    X(JSN_OK, "success")                                              \
    X(JSN_ERR_ARGUMENT, "invalid argument")                           \
    X(JSN_ERR_UNKNOWN_NAME, "no entry has that name")                 \
    X(JSN_ERR_RANGE, "value out of range")                            \
    X(JSN_ERR_MEMORY, "out of memory")                                \
    X(JSN_ERR_NUMERIC, "result is not finite")                        \
    X(JSN_ERR_DATA, "input data is missing or invalid")               \
    X(JSN_ERR_IO, "reading or writing failed")                        \
    X(JSN_ERR_BUSY, "in use by another process")                      \
    X(JSN_ERR_UNSUPPORTED, "this build lacks what the request needs") \
    X(JSN_ERR_DEVICE, "device missing or failing")                    \
    X(JSN_ERR_NETWORK, "network failure")                             \
    X(JSN_ERR_STOPPED, "stopped on request, with what was done kept")

#define JSN_STATUS_ENUMERATOR(code, text) code,
typedef enum jsn_status { JSN_STATUS_LIST(JSN_STATUS_ENUMERATOR) } jsn_status;
#undef JSN_STATUS_ENUMERATOR

/* The fixed text of a code; "unknown status" for a value outside the enum. */
JSN_API const char *jsn_status_text(jsn_status status);

/* The sentence set by the latest failing call on this thread, "" if there was
 * none. Valid until the next failing call on this thread; do not free it. */
JSN_API const char *jsn_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_STATUS_H */
