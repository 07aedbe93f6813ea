#!/usr/bin/env python3
"""label_tables.py ORDER.csv LABELS... OUT.csv - published label files as one table for `--noise file:`.

ORDER.csv names the images in the order of the binary files of CIFAR:

    jensen noise cifar10:cifar-10-batches-bin --noise none --out order.csv

LABELS are CIFAR-N's CIFAR-10_human.pt or CIFAR-100_human.pt, or arrays such as PLC's noisy_labels/cifar10-*.npy. The
table has the columns path, clean and one per label set. Arrays with fewer rows are of the first images. Needs NumPy.
"""
import csv
import io
import pickle
import re
import sys
import zipfile

import numpy as np

COLUMNS = {"aggre_label": "aggregate", "random_label1": "random1", "random_label2": "random2",
           "random_label3": "random3", "worse_label": "worse", "noisy_label": "noisy"}


class Arrays(pickle.Unpickler):
    """Knows NumPy arrays alone: a pickle can otherwise run anything."""

    def find_class(self, module, name):
        if (module, name) in {("_codecs", "encode"), ("numpy", "ndarray"), ("numpy", "dtype")}:
            return super().find_class(module, name)
        if name in {"_reconstruct", "scalar"} and module in {"numpy.core.multiarray", "numpy._core.multiarray"}:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no array")


def read(path):
    """The label sets of a file, by column."""
    if path.endswith(".npy"):
        found = re.search(r"-(\d)-0\.(\d+)\.npy$", path)  # PLC: cifar10-1-0.35.npy
        name = f"type{found[1]}_{found[2]}" if found else re.sub(r".*/|\.npy$", "", path)
        return {name: np.load(path, allow_pickle=False).reshape(-1)}
    with zipfile.ZipFile(path) as archive:
        member = next((n for n in archive.namelist() if n.endswith("/data.pkl")), None)
        if member is None:
            raise ValueError("no data.pkl in it")
        sets = Arrays(io.BytesIO(archive.read(member))).load()
    return {COLUMNS.get(name, name): np.asarray(labels).reshape(-1) for name, labels in sets.items()}


def main(order, *files):
    out = files[-1]
    with open(order, newline="") as file:
        rows = list(csv.DictReader(file))
    clean = np.array([int(row["given"]) for row in rows])
    if len(set(clean)) > 1 and (np.diff(clean) >= 0).all():
        sys.exit(f"{order}: class by class; expected the order of CIFAR's binary files")
    columns = {}
    for path in files[:-1]:
        try:
            sets = read(path)
        except (OSError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile) as error:
            sys.exit(f"{path}: {error}")
        told = sets.pop("clean_label", None)
        if told is not None and not np.array_equal(told, clean):
            sys.exit(f"{path}: its clean labels are not those of {order}: another order, or other data")
        columns.update((name, labels) for name, labels in sets.items() if "coarse" not in name)
    count = {len(labels) for labels in columns.values()}
    if len(count) != 1 or max(count) > len(rows):
        sys.exit(f"the label sets have {sorted(count)} rows, {order} has {len(rows)}")
    with open(out, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["path", "clean", *columns])
        for i in range(count.pop()):
            table.writerow([rows[i]["path"], clean[i], *(int(labels[i]) for labels in columns.values())])
    print(f"{out}: {', '.join(columns)}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
