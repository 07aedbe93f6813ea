/* backend/backend_list.h - the table of backends, best first: "cpu" takes the first CPU
 * backend, "auto" the first with a device. The only #if on a backend's presence;
 * JSNI_BACKEND_ABSENT has those that this build leaves out. */
#ifndef JSNI_BACKEND_LIST_H
#define JSNI_BACKEND_LIST_H

#if defined(JSN_HAVE_ONEDNN)
#define JSNI_BACKEND_LIST_ONEDNN(X) X(onednn)
#define JSNI_BACKEND_ABSENT(Y)
#else
#define JSNI_BACKEND_LIST_ONEDNN(X)
#define JSNI_BACKEND_ABSENT(Y) Y(onednn)
#endif

#define JSNI_BACKEND_LIST(X) X(cuda) JSNI_BACKEND_LIST_ONEDNN(X) X(ref)

#endif /* JSNI_BACKEND_LIST_H */
