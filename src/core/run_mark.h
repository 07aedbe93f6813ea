/* core/run_mark.h - the files by which a folder is known to be that of a run. */
#ifndef JSNI_CORE_RUN_MARK_H
#define JSNI_CORE_RUN_MARK_H

#define JSNI_RUN_LOCK        ".lock" /* the first; then these two */
#define JSNI_RUN_CONFIG      "config.yaml"
#define JSNI_RUN_ENVIRONMENT "environment.json"

#endif /* JSNI_CORE_RUN_MARK_H */
