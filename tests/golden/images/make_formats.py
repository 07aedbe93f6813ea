"""Adds the fixtures of GIF, TIFF, HEIC and AVIF to those of make_images.py, which runs first: files, lines of index.txt and
pixels of expected.bin. GIF and TIFF: the pixels that were encoded, transparent ones white. HEIC and AVIF lose too much to be
compared to the byte: they are rgb.png once more, and not in the index. Needs Pillow 11.3 or newer, NumPy, heif-enc."""
import subprocess

import numpy as np
from PIL import Image

rgb = np.asarray(Image.open("rgb.png"))
photo = Image.fromarray(rgb)
palette = photo.quantize(16)
table, number = np.asarray(palette.convert("RGB")), np.asarray(palette)
index, pixels = [], []


def expect(name, array):
    index.append(f"{name} {array.shape[1]} {array.shape[0]}\n")
    pixels.append(np.ascontiguousarray(array).tobytes())


def save(name, image, array, **options):
    image.save(name, **options)
    expect(name, array)


save("plain.gif", palette, table, interlace=0)
save("interlaced.gif", palette, table, interlace=1)
save("transparent.gif", palette, np.where((number == 3)[..., None], 255, table).astype(np.uint8), transparency=3)
save("animated.gif", palette, table, save_all=True, append_images=[palette.transpose(Image.Transpose.ROTATE_180)])
# A picture that covers a part of its canvas: the size of the screen is made larger, and the picture moved.
data = bytearray(open("plain.gif", "rb").read())
data[6:10] = bytes([25, 0, 20, 0])
at = data.index(b"\x2c", 13 + 3 * 2 ** ((data[10] & 7) + 1))
data[at + 1:at + 5] = bytes([4, 0, 5, 0])
open("canvas.gif", "wb").write(data)
canvas = np.full((20, 25, 3), 255, np.uint8)
canvas[5:18, 4:23] = table
expect("canvas.gif", canvas)

save("lzw.tif", photo, rgb, compression="tiff_lzw")
save("palette.tif", palette, table)
save("grey.tif", photo.convert("L"), np.repeat(np.asarray(photo.convert("L"))[..., None], 3, 2))
save("exif6.tif", photo, np.rot90(rgb, -1), tiffinfo={274: 6})
hole = np.where(number == 3, 0, 255).astype(np.uint8)
save("holes.tif", Image.fromarray(np.dstack([rgb, hole])), np.where(hole[..., None] == 0, 255, rgb).astype(np.uint8))
save("pages.tif", photo, rgb, save_all=True, append_images=[photo.transpose(Image.Transpose.ROTATE_180)])

photo.save("close.avif", quality=95, subsampling="4:4:4")
subprocess.run(["heif-enc", "-q", "95", "-p", "chroma=444", "rgb.png", "-o", "close.heic"], check=True)
open("index.txt", "a").writelines(index)
open("expected.bin", "ab").write(b"".join(pixels))
