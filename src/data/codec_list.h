/* data/codec_list.h - the image formats, in the order in which they are tried. The only
 * place that asks which libraries the build has. */
#ifndef JSNI_DATA_CODEC_LIST_H
#define JSNI_DATA_CODEC_LIST_H

#ifdef JSN_HAVE_TURBOJPEG
#define JSNI_CODEC_JPEG(X) X(jpeg)
#else
#define JSNI_CODEC_JPEG(X)
#endif

#ifdef JSN_HAVE_PNG
#define JSNI_CODEC_PNG(X) X(png)
#else
#define JSNI_CODEC_PNG(X)
#endif

#ifdef JSN_HAVE_WEBP
#define JSNI_CODEC_WEBP(X) X(webp)
#else
#define JSNI_CODEC_WEBP(X)
#endif

#define JSNI_CODEC_LIST(X) \
    JSNI_CODEC_JPEG(X)     \
    JSNI_CODEC_PNG(X)      \
    JSNI_CODEC_WEBP(X)     \
    X(ppm)                 \
    X(bmp)

#endif /* JSNI_DATA_CODEC_LIST_H */
