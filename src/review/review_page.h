/* review/review_page.h - the files of review/page, made part of the program by the build. */
#ifndef JSNI_REVIEW_PAGE_H
#define JSNI_REVIEW_PAGE_H

#include <stddef.h>

typedef struct jsni_page_file {
    const char *name, *type;
    const unsigned char *bytes;
    size_t length;
} jsni_page_file;

extern const jsni_page_file jsni_review_page[];
extern const size_t jsni_review_page_count;

#endif /* JSNI_REVIEW_PAGE_H */
