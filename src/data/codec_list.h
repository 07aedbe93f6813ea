/* data/codec_list.h - the image formats, in the order in which they are tried. The only
 * place that asks which libraries the build has. */
#ifndef JSNI_DATA_CODEC_LIST_H
#define JSNI_DATA_CODEC_LIST_H

#define JSNI_CODEC_LIST(X) \
    X(ppm)                 \
    X(bmp)

#endif /* JSNI_DATA_CODEC_LIST_H */
