/* store/store_list.h - the databases a study can live in. The only place that asks which
 * libraries the build has. */
#ifndef JSNI_STORE_STORE_LIST_H
#define JSNI_STORE_STORE_LIST_H

#ifdef JSN_HAVE_SQLITE
#define JSNI_STORE_SQLITE(X) X(sqlite)
#else
#define JSNI_STORE_SQLITE(X)
#endif

#ifdef JSN_HAVE_PQ
#define JSNI_STORE_POSTGRES(X) X(postgres)
#else
#define JSNI_STORE_POSTGRES(X)
#endif

#define JSNI_STORE_LIST(X) \
    JSNI_STORE_SQLITE(X)   \
    JSNI_STORE_POSTGRES(X)

#endif /* JSNI_STORE_STORE_LIST_H */
