/* review/review_page.h - the files of review/page, made part of the program by the build. */
#ifndef JSNI_REVIEW_PAGE_H
#define JSNI_REVIEW_PAGE_H

#include "core/embedded.h"

extern const jsni_embedded jsni_review_page[];
extern const size_t jsni_review_page_count;

#endif /* JSNI_REVIEW_PAGE_H */
