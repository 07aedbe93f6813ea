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

#ifdef JSN_HAVE_GIF
#define JSNI_CODEC_GIF(X) X(gif)
#else
#define JSNI_CODEC_GIF(X)
#endif

#ifdef JSN_HAVE_TIFF
#define JSNI_CODEC_TIFF(X) X(tiff)
#else
#define JSNI_CODEC_TIFF(X)
#endif

#ifdef JSN_HAVE_HEIF
#define JSNI_CODEC_HEIF(X) X(heif)
#else
#define JSNI_CODEC_HEIF(X)
#endif

#define JSNI_CODEC_LIST(X) \
    JSNI_CODEC_JPEG(X)     \
    JSNI_CODEC_PNG(X)      \
    JSNI_CODEC_WEBP(X)     \
    JSNI_CODEC_GIF(X)      \
    JSNI_CODEC_TIFF(X)     \
    JSNI_CODEC_HEIF(X)     \
    X(ppm)                 \
    X(bmp)

#endif /* JSNI_DATA_CODEC_LIST_H */
