"""augment_in_pillow.py JENSEN FOLDER - see augment_in_pillow.sh."""
import os
import subprocess
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

jensen, folder = sys.argv[1:3]
rng = np.random.default_rng(7)
source, result = (os.path.join(folder, name) for name in ("in.ppm", "out.ppm"))


def enhance(kind):
    return lambda im, v, at: getattr(ImageEnhance, kind)(im).enhance(v)


def affine(*places):
    """An affine map, the identity but for the value at the given places."""
    def run(im, v, at):
        matrix = [1, 0, 0, 0, 1, 0]
        for place in places:
            matrix[place] = v
        return im.transform(im.size, Image.AFFINE, matrix)
    return run


def solarize_add(im, v, at):
    lighter = np.clip(np.asarray(im).astype(np.float64) + v, 0, 255).astype(np.uint8)
    return ImageOps.solarize(Image.fromarray(lighter), 128)


def cutout(im, v, at):
    out, (w, h) = im.copy(), im.size
    x, y = (int(max(0, c - v / 2)) for c in at)
    ImageDraw.Draw(out).rectangle((x, y, min(w, x + v), min(h, y + v)), (125, 123, 114))
    return out


def hue(im, v, at):
    h, s, b = im.convert("HSV").split()
    turned = (np.asarray(h).astype(int) + int(v * 255)) % 256
    return Image.merge("HSV", (Image.fromarray(turned.astype(np.uint8)), s, b)).convert("RGB")


operations = {
    "AutoContrast": (0, 1, lambda im, v, at: ImageOps.autocontrast(im)),
    "Equalize": (0, 1, lambda im, v, at: ImageOps.equalize(im)),
    "Invert": (0, 1, lambda im, v, at: ImageOps.invert(im)),
    "Rotate": (-360, 360, lambda im, v, at: im.rotate(v)),
    "Posterize": (1, 8, lambda im, v, at: ImageOps.posterize(im, int(v))),
    "Solarize": (0, 256, lambda im, v, at: ImageOps.solarize(im, v)),
    "SolarizeAdd": (0, 110, solarize_add),
    "Color": (0, 2, enhance("Color")),
    "Contrast": (0, 2, enhance("Contrast")),
    "Brightness": (0, 2, enhance("Brightness")),
    "Sharpness": (0, 2, enhance("Sharpness")),
    "Saturation": (0, 2, enhance("Color")),
    "ShearX": (-0.9, 0.9, affine(1)),
    "ShearY": (-0.9, 0.9, affine(3)),
    "CutoutAbs": (0, 40, cutout),
    "TranslateXabs": (-60, 60, affine(2)),
    "TranslateYabs": (-60, 60, affine(5)),
    "Hue": (-0.5, 0.5, hue),
    "Flip": (0, 1, lambda im, v, at: ImageOps.mirror(im)),
    "Gray": (0, 1, lambda im, v, at: im.convert("L").convert("RGB")),
    "HSV": (0, 1, lambda im, v, at: im.convert("HSV")),
    "HSV_and_back": (0, 1, lambda im, v, at: im.convert("HSV").convert("RGB")),
    "Smooth": (0, 1, lambda im, v, at: im.filter(ImageFilter.SMOOTH)),
}


def picture(i, least):
    w, h = (int(n) for n in rng.integers(least, 120, 2))
    if i % 2:
        return rng.integers(0, 256, (h, w, 3)).astype(np.uint8)
    ramp = np.add.outer(3 * np.arange(h), 2 * np.arange(w))[..., None]
    return np.clip(ramp % rng.integers(2, 256) + rng.integers(0, 9, (h, w, 3)), 0, 255).astype(np.uint8)


def run(*args):
    subprocess.run([jensen, "augment", source, *args, "--out", result], check=True)
    return np.asarray(Image.open(result))


wrong = cases = 0
for name, (low, high, peer) in operations.items():
    for i in range(12):
        image = Image.fromarray(picture(i, 1))
        image.save(source)
        value = float(rng.choice([-90, 0, 45, 90, 180, 270]) if name == "Rotate" and i < 4
                      else rng.uniform(low, high))
        at = [float(rng.uniform(0, n)) for n in image.size]
        got = run("--op", name, "--value", repr(value), "--at", f"{at[0]!r},{at[1]!r}")
        cases += 1
        if not np.array_equal(got, np.asarray(peer(image, value, at))):
            wrong += 1
            print(f"{name} {value!r} at {at}, {image.size}: pixels differ")

# Resizing: the shorter side to a length, then the middle.
for i in range(40):
    image = Image.fromarray(picture(i, 8))
    image.save(source)
    w, h = image.size
    side, crop = int(rng.integers(8, 150)), 8
    word, flag = [("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC)][i % 2]
    got = run("--pipeline", f"resize:size={side},filter={word}+centercrop", "--size", str(crop),
              "--copies", "1", "--zoom", "1")[2:-2, 2:-2]
    size = (side, int(side * h / w)) if w < h else (int(side * w / h), side)
    left, top = (round((n - crop) / 2) for n in size)
    want = image.resize(size, flag).crop((left, top, left + crop, top + crop))
    cases += 1
    if not np.array_equal(got, np.asarray(want)):
        wrong += 1
        print(f"resize {image.size} to {size}, {word}: pixels differ")

print(f"augment beside Pillow {Image.__version__}: {cases} cases, {wrong} differ")
sys.exit(wrong > 0)
