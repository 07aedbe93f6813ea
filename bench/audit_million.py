#!/usr/bin/env python3
"""audit_million.py JENSEN OUT [IMAGES] [CLASSES] [CLEANLAB_PYTHON] - time and memory of `jensen audit --posteriors` on many labels

(1,000,000 of 100 classes), and of cleanlab on the same array, each in a process of its own: find_label_issues() and
get_label_quality_scores(), by the Python that is named (this one). Needs numpy, and cleanlab there. OUT keeps the array."""
import os
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np

PEER = """
import sys, numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
p, y = np.load(sys.argv[1]), np.load(sys.argv[2])
found = find_label_issues(y, p, n_jobs=2)
print(found.sum(), get_label_quality_scores(y, p).mean())
"""


def make(out, images, classes):
    rng = np.random.default_rng(1)
    true = rng.integers(0, classes, images)
    given = np.where(rng.random(images) < 0.2, rng.integers(0, classes, images), true)
    p = np.lib.format.open_memmap(out / "p.npy", mode="w+", dtype=np.float32, shape=(images, classes))
    for first in range(0, images, 50000):
        at = slice(first, min(images, first + 50000))
        logits = rng.normal(size=(at.stop - first, classes)).astype(np.float32)
        logits[np.arange(len(logits)), true[at]] += 5
        logits[np.arange(len(logits)), given[at]] += 1
        e = np.exp(logits)
        p[at] = e / e.sum(1, keepdims=True)
    np.save(out / "y.npy", given)
    names = [f"class-{c:04}" for c in range(classes)]
    with (out / "data.csv").open("w") as file:
        file.write("path,label\n")
        file.writelines(f"{i:08}.jpg,{names[c]}\n" for i, c in enumerate(given))


def measured(name, command, array):
    begin = time.time()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, command
    print("%-9s %6.1f s, %6.1f s of CPU, %7.0f MiB at most = %.2f of the array" %
          (name, time.time() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, used.ru_maxrss / 1024 / array), flush=True)


def main():
    jensen, out = sys.argv[1], pathlib.Path(sys.argv[2])
    images, classes = int((sys.argv + [1000000] * 4)[3]), int(sys.argv[4] if len(sys.argv) > 4 else 100)
    python = sys.argv[5] if len(sys.argv) > 5 else sys.executable
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "data.csv").exists():
        make(out, images, classes)
    array = images * classes * 4 / 2**20
    print(f"{images} labels of {classes} classes, an array of {array:.0f} MiB; load {os.getloadavg()[0]:.1f}")
    measured("jensen", [jensen, "audit", f"csv:{out}/data.csv", "--posteriors", out / "p.npy", "--labels-only", "-o", out / "audit", "-q"], array)
    measured("cleanlab", [python, "-c", PEER, out / "p.npy", out / "y.npy"], array)


main()
