/* data/jpeg_tables.h - whether a JPEG brings its own tables.
 *
 * libjpeg keeps the quantisation and Huffman tables of one file for the next, as files
 * without tables were once sent. A damaged file that lacks one would so look different
 * after another image, and weights would depend on which thread decodes what. */
#ifndef JSNI_DATA_JPEG_TABLES_H
#define JSNI_DATA_JPEG_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a file with all its tables began, up to its scan. The images of a data set often begin
 * alike, and comparing takes a tenth of the time of reading. Zero-initialise it. */
typedef struct jsni_jpeg_start {
    uint8_t bytes[1024];
    size_t length;
} jsni_jpeg_start;

/* True: the file has one scan, and all tables that it needs stand before it. Of every
 * other file (progressive, in several scans, damaged) it is not known: a decoder that
 * starts anew is right for them. `last` may be that of any files before. */
bool jsni_jpeg_has_tables(const uint8_t *bytes, size_t length, jsni_jpeg_start *last);

#endif /* JSNI_DATA_JPEG_TABLES_H */
