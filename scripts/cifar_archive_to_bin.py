#!/usr/bin/env python3
"""cifar_archive_to_bin.py ARCHIVE OUT [LABELS] - turns an archive of JPEG images
(train/<class>/NNNN.jpg, test/<class>/NNNN.jpg, any tar) into CIFAR's binary files, for
machines where jensen is built without libarchive and libjpeg.

NNNN is the image's rank in its class, so with LABELS, a CSV (or .csv.xz) whose column
`clean` (else the first) holds the classes in the original order, the training files have
the original order; without it, and for the test file, ranks of all classes alternate.
Ten classes give data_batch_1..5.bin and test_batch.bin, a hundred train.bin and test.bin
(their coarse label is written as 0). Needs Pillow."""
import csv
import io
import lzma
import os
import sys
import tarfile

from PIL import Image


def read_archive(path):
    """{split: {class name: [record bytes by rank]}}"""
    found = {}
    with tarfile.open(path) as tar:
        for member in tar:
            parts = member.name.strip("./").split("/")
            if not member.isfile() or len(parts) != 3:
                continue
            image = Image.open(io.BytesIO(tar.extractfile(member).read())).convert("RGB")
            planes = b"".join(band.tobytes() for band in image.split())
            found.setdefault(parts[0], {}).setdefault(parts[1], []).append((parts[2], planes))
    for classes in found.values():
        for name in classes:
            classes[name] = [planes for _, planes in sorted(classes[name])]
    return found


def read_labels(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt") as file:
        rows = list(csv.DictReader(file))
    column = next((c for c in rows[0] if c.startswith("clean")), list(rows[0])[0])
    return [int(row[column]) for row in rows]


def in_order(classes, labels):
    """Pairs (class, planes); `labels` is the original order of classes, or None."""
    lists = [classes[name] for name in sorted(classes)]
    if labels is None:
        return [(c, rank[i]) for i in range(max(map(len, lists)))
                for c, rank in enumerate(lists) if i < len(rank)]
    used = [0] * len(lists)
    out = []
    for c in labels:
        out.append((c, lists[c][used[c]]))
        used[c] += 1
    return out


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    archive, out = sys.argv[1:3]
    data = read_archive(archive)
    labels = read_labels(sys.argv[3]) if len(sys.argv) == 4 else None
    ten = len(data["train"]) <= 10
    os.makedirs(out, exist_ok=True)

    def record(c, planes):
        return (bytes([c]) if ten else bytes([0, c])) + planes

    train = [record(c, p) for c, p in in_order(data["train"], labels)]
    test = [record(c, p) for c, p in in_order(data["test"], None)]
    files = {"test_batch.bin" if ten else "test.bin": test}
    if ten:
        size = (len(train) + 4) // 5
        for i in range(5):
            files[f"data_batch_{i + 1}.bin"] = train[i * size:(i + 1) * size]
    else:
        files["train.bin"] = train
    for name, records in files.items():
        with open(os.path.join(out, name), "wb") as file:
            file.write(b"".join(records))
    print(f"{len(train)} training and {len(test)} test images in {out}")


if __name__ == "__main__":
    main()
