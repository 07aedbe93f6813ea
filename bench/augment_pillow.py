"""augment_pillow.py JENSEN - see augment.sh. The Pillow side does what jensen's pipelines
do, the way PyTorch training code does it: operations on PIL images, then numpy."""
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

random.seed(0)
rng = np.random.default_rng(0)
uniform = random.uniform


def sign(v):
    return v if random.random() < 0.5 else -v


def shift(im, matrix):
    return im.transform(im.size, Image.AFFINE, matrix)


def solarize_add(im):
    a = np.clip(np.asarray(im).astype(int) + 11, 0, 255).astype(np.uint8)
    return ImageOps.solarize(Image.fromarray(a), 128)


def cutout_abs(im):
    x, y = (int(max(0, uniform(1, 32) - 2)) for _ in range(2))
    out = im.copy()
    ImageDraw.Draw(out).rectangle((x, y, min(32, x + 4), min(32, y + 4)), (125, 123, 114))
    return out


operations = [  # RandAugment's sixteen at magnitude 3
    ImageOps.autocontrast, ImageOps.equalize, ImageOps.invert,
    lambda im: im.rotate(sign(3)), lambda im: ImageOps.posterize(im, 1),
    lambda im: ImageOps.solarize(im, 25.6), solarize_add,
    lambda im: ImageEnhance.Color(im).enhance(0.28),
    lambda im: ImageEnhance.Contrast(im).enhance(0.28),
    lambda im: ImageEnhance.Brightness(im).enhance(0.28),
    lambda im: ImageEnhance.Sharpness(im).enhance(0.28),
    lambda im: shift(im, (1, sign(0.03), 0, 0, 1, 0)),
    lambda im: shift(im, (1, 0, 0, sign(0.03), 1, 0)), cutout_abs,
    lambda im: shift(im, (1, 0, sign(10), 0, 1, 0)),
    lambda im: shift(im, (1, 0, 0, 0, 1, sign(10))),
]
mean = np.array([0.4914, 0.4822, 0.4465], np.float32)
std = np.array([0.2023, 0.1994, 0.2010], np.float32)
scale, offset = 1 / (255 * std), mean / std


def tensor(im):
    a = np.asarray(im, np.float32) * scale - offset
    return np.ascontiguousarray(a.transpose(2, 0, 1))


def crop_flip(im):
    big = ImageOps.expand(im, 4, 0)
    x, y = random.randint(0, 8), random.randint(0, 8)
    im = big.crop((x, y, x + 32, y + 32))
    return ImageOps.mirror(im) if random.random() < 0.5 else im


def weak(a):
    return tensor(crop_flip(Image.fromarray(a)))


def strong(a):
    out = tensor(crop_flip(random.choice(operations)(Image.fromarray(a))))
    x, y = random.randint(0, 31), random.randint(0, 31)
    out[:, max(0, y - 8):y + 8, max(0, x - 8):x + 8] = 0
    return out


def resized_crop(im):
    w, h = im.size
    for _ in range(10):
        area = uniform(0.08, 1) * w * h
        ratio = math.exp(uniform(math.log(3 / 4), math.log(4 / 3)))
        cw, ch = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < cw <= w and 0 < ch <= h:
            x, y = random.randint(0, w - cw), random.randint(0, h - ch)
            return im.crop((x, y, x + cw, y + ch)).resize((224, 224), Image.BILINEAR)
    return ImageOps.fit(im, (224, 224), Image.BILINEAR)


def hue(im):
    h, s, v = im.convert("HSV").split()
    turned = np.asarray(h) + np.uint8(int(uniform(-0.2, 0.2) * 255) & 255)
    return Image.merge("HSV", (Image.fromarray(turned), s, v)).convert("RGB")


def jitter(im):
    steps = [lambda i, k=kind: getattr(ImageEnhance, k)(i).enhance(uniform(0.6, 1.4))
             for kind in ("Brightness", "Contrast", "Color")] + [hue]
    random.shuffle(steps)
    im = resized_crop(im)
    if random.random() < 0.5:
        im = ImageOps.mirror(im)
    for step in steps:
        im = step(im)
    return tensor(im)


def rate(work, items):
    """Best images a second of processor time over seven rounds."""
    best = 0
    for _ in range(7):
        start = time.process_time()
        for item in items:
            work(item)
        best = max(best, len(items) / (time.process_time() - start))
    return best


def ours(jensen, *args):
    out = subprocess.run([jensen, "bench", "augment", "--json", "--repeats", "15", *args],
                         check=True, capture_output=True, text=True).stdout
    return {row["case"]: row["images_per_core_second"] for row in map(json.loads, out.splitlines())}


def report(name, peer, own):
    print(f"{name:34} Pillow {peer:9.0f}  jensen {own:9.0f} images/s/core  x{own / peer:.1f}")


def small_images(count):
    """32x32, with edges and noise as photographs have."""
    blocks = np.kron(rng.integers(0, 256, (count, 8, 8, 3)), np.ones((1, 4, 4, 1)))
    return np.clip(blocks + rng.normal(0, 12, blocks.shape), 0, 255).astype(np.uint8)


def large_image():
    """500x375, smooth with noise."""
    y, x = np.mgrid[0:375, 0:500]
    photo = np.stack([127 + 100 * np.sin(x / 31 + y / 53), 127 + 90 * np.cos(x / 47), y / 2 + 40], 2)
    return Image.fromarray(np.clip(photo + rng.normal(0, 12, photo.shape), 0, 255).astype(np.uint8))


def main(jensen):
    small = list(small_images(500))
    own = ours(jensen)
    report("strong, 32x32", rate(strong, small), own["strong"])
    report("weak, 32x32", rate(weak, small), own["weak"])
    photo = large_image()
    report("jitter, 500x375 in memory to 224", rate(jitter, [photo] * 40), own["jitter"])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "photo.jpg")
        photo.filter(ImageFilter.GaussianBlur(1)).save(path, quality=90)
        data = open(path, "rb").read()
        decode = lambda b: jitter(Image.open(io.BytesIO(b)).convert("RGB"))
        peer = rate(decode, [data] * 40)
        for case, own in ours(jensen, "--image", path, "--scaled-decode", "0.5").items():
            report(f"jitter, 500x375 JPEG, {case[5:]}", peer, own)  # whole, part, scaled


if __name__ == "__main__":
    main(sys.argv[1])
