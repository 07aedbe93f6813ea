"""Writes the image fixtures and, in expected.bin, the RGB pixels that reading them must give.

Lossless formats: the expected pixels come from the arrays that were encoded, by the stated
rules (alpha over white, 16 to 8 bits by rounding v*255/65535). JPEG and lossy WebP: the pixels
that Pillow decodes (libjpeg-turbo's defaults), EXIF-transposed by Pillow. Needs Pillow, NumPy.
index.txt has one line a file: name width height, in the order of expected.bin.
"""
import io, struct, zlib
import numpy as np
from PIL import Image, ImageOps

rng = np.random.default_rng(7)
W, H = 19, 13
y, x = np.mgrid[0:H, 0:W]
rgb = np.stack([x * 13, y * 19, (x + y) * 8], -1).astype(np.uint8)
rgb = np.clip(rgb + rng.integers(-20, 20, rgb.shape), 0, 255).astype(np.uint8)
grey = rgb[..., 0]
alpha = np.clip(x * 15, 0, 255).astype(np.uint8)
index, pixels = [], []


def over_white(c, a):
    return np.round((c.astype(float) * a + 255.0 * (255 - a)) / 255).astype(np.uint8)


def expect(name, array):
    if array.ndim == 2:
        array = np.repeat(array[..., None], 3, 2)
    assert array.dtype == np.uint8
    index.append(f"{name} {array.shape[1]} {array.shape[0]}")
    pixels.append(array.tobytes())


def save(name, image, array=None, **options):
    image.save(name, **options)
    if array is None:
        array = np.asarray(ImageOps.exif_transpose(Image.open(name)).convert("RGB"))
    expect(name, array)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png16(name, array, colour_type):
    """16-bit PNG by hand: Pillow cannot write RGB ones."""
    raw = b"".join(b"\0" + row.astype(">u2").tobytes() for row in array)
    head = struct.pack(">IIBBBBB", W, H, 16, colour_type, 0, 0, 0)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
                           chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


photo = Image.fromarray(rgb)
save("rgb420.jpg", photo, quality=85, subsampling=2)
save("rgb444.jpg", photo, quality=85, subsampling=0)
save("progressive.jpg", photo, quality=85, progressive=True)
save("grey.jpg", Image.fromarray(grey), quality=85)
save("cmyk.jpg", photo.convert("CMYK"), quality=85)
for turn in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = turn
    save(f"exif{turn}.jpg", photo, quality=85, exif=exif.tobytes())
save("rgb.png", photo, rgb)
exif = Image.Exif()
exif[0x0112] = 6
save("exif6.png", photo, np.rot90(rgb, -1), exif=exif.tobytes())
save("grey.png", Image.fromarray(grey), grey)
save("bits1.png", Image.fromarray(grey > 100), np.where(grey > 100, 255, 0).astype(np.uint8))
palette = photo.quantize(16)
save("palette.png", palette, np.asarray(palette.convert("RGB")))
table = np.asarray(palette.convert("RGB"))
trns = np.asarray(palette)
save("palette_trns.png", palette, np.where((trns == 3)[..., None], 255, table).astype(np.uint8),
     transparency=3)
save("rgba.png", Image.fromarray(np.dstack([rgb, alpha])), over_white(rgb, alpha[..., None]))
save("la.png", Image.fromarray(np.dstack([grey, alpha]), "LA"), over_white(grey, alpha))
deep = rng.integers(0, 65536, (H, W, 3))
eight = np.round(deep * 255 / 65535).astype(np.uint8)
png16("rgb16.png", deep.reshape(H, -1), 2)
expect("rgb16.png", eight)
png16("grey16.png", deep[..., 0], 0)
expect("grey16.png", eight[..., 0])
save("lossy.webp", photo, quality=80)
save("lossless.webp", photo, rgb, lossless=True)
save("alpha.webp", Image.fromarray(np.dstack([rgb, alpha])),
     over_white(rgb, alpha[..., None]), lossless=True, exact=True)
save("rgb.bmp", photo, rgb)
save("palette.bmp", photo.quantize(200), np.asarray(photo.quantize(200).convert("RGB")))
save("grey.bmp", Image.fromarray(grey), grey)
save("bits1.bmp", Image.fromarray(grey > 100), np.where(grey > 100, 255, 0).astype(np.uint8))
# Without masks in the header, the fourth byte of a 32-bit bitmap means nothing.
save("rgbx.bmp", Image.fromarray(np.dstack([rgb, alpha])), rgb)
save("rgb.ppm", photo, rgb)
save("grey.ppm", Image.fromarray(grey), grey)
with open("plain.ppm", "w") as f:
    f.write(f"P3 # a comment\n{W} {H}\n15\n" + " ".join(str(v) for v in (rgb >> 4).ravel()))
expect("plain.ppm", (rgb >> 4) * 17)
with open("grey16.ppm", "wb") as f:
    f.write(b"P5\n%d %d\n65535\n" % (W, H) + deep[..., 0].astype(">u2").tobytes())
expect("grey16.ppm", eight[..., 0])

open("index.txt", "w").write("\n".join(index) + "\n")
open("expected.bin", "wb").write(b"".join(pixels))
