"""What the comparisons of exported models share: pictures, and runs that were trained on little."""
import json
import os
import subprocess

import numpy as np
from PIL import Image

random = np.random.default_rng(1)
SIZES = [(1, 1), (2, 40), (24, 24), (25, 24), (33, 65), (100, 40), (40, 100), (199, 301), (640, 480)]
RUNS = [["--augment", "fit+flip"], ["--augment", "fit:filter=bicubic+flip"], ["--augment", "resizedcrop+flip"],
        ["--augment", "resize:filter=bicubic,nearest=1+centercrop"], ["--augment", "fit+flip", "--members", "3"]]


def picture(height, width):
    """Smooth enough to be a picture, rough enough to show a wrong filter."""
    coarse = random.integers(0, 256, (height // 6 + 2, width // 6 + 2, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(coarse).resize((width, height), Image.BILINEAR), np.int64)
    return np.clip(smooth + random.integers(-20, 21, (height, width, 3)), 0, 255).astype(np.uint8)


def save_pictures(folder):
    """The paths of pictures of many sizes, odd and small ones."""
    os.makedirs(f"{folder}/pictures")
    files = [f"{folder}/pictures/{i}.png" for i in range(len(SIZES))]
    for file, size in zip(files, SIZES):
        Image.fromarray(picture(*size)).save(file)
    return files


def networks(jensen):
    shown = subprocess.run([jensen, "show", "networks", "--json"], capture_output=True, check=True)
    return [json.loads(line)["network"] for line in shown.stdout.splitlines()]


def train(jensen, run, options):
    subprocess.run([jensen, "train", "builtin:size=60,test=10", "--network", "cnn:width=4", "--image-size", "24",
                    "--epochs", "2", "--batch", "20", "--threads", "1", "-q", "--out", run, *options],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def predictions(jensen, run, classes, files):
    """By file: jensen's probabilities, in the order of `classes`."""
    said = subprocess.run([jensen, "predict", run, "--threads", "1", "--json", "--top", str(len(classes)), *files],
                          capture_output=True, check=True)
    rows = [{top["class"]: top["probability"] for top in json.loads(line)["top"]} for line in said.stdout.splitlines()]
    return [[row[name] for name in classes] for row in rows]
