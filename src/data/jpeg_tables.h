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

/* True: the file has one scan, and all tables that it needs stand before it. Of every
 * other file (progressive, in several scans, damaged) it is not known: a decoder that
 * starts anew is right for them. */
bool jsni_jpeg_has_tables(const uint8_t *bytes, size_t length);

#endif /* JSNI_DATA_JPEG_TABLES_H */
