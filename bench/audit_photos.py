#!/usr/bin/env python3
"""audit_photos.py JENSEN PHOTOS OUT [SEEDS] [SET ...] - how well `jensen audit` finds labels of photographs that were made wrong.

PHOTOS is a folder with a folder a class; its labels count as true. Another class at random for 5, 20 and 40% of the
images, and the next class for 30%. Prints precision and recall of the list, AUROC, average precision and the estimated
rate, a line a noise, means over the seeds (3). SET are options of the folds (--set). An audit that is there is not made
again. Standard library alone."""
import csv
import json
import pathlib
import random
import subprocess
import sys
import time

NOISES = (("other", 0.05), ("other", 0.2), ("other", 0.4), ("next", 0.3))


def wrong_labels(true, classes, kind, rate, seed):
    draw = random.Random(f"{kind} {rate} {seed}")
    moved = {}
    for path, label in sorted(true.items()):
        step = (draw.randrange(1, len(classes)) if kind == "other" else 1) if draw.random() < rate else 0
        moved[path] = classes[(classes.index(label) + step) % len(classes)]
    return moved


def ranking(scores, bad):
    """AUROC and average precision of scores for those in `bad`; ties count half, and in the order given."""
    order = sorted(scores, key=lambda path: -scores[path])
    hits = precision_sum = below = 0
    for rank, path in enumerate(order, 1):
        if path in bad:
            hits += 1
            precision_sum += hits / rank
        else:
            below += len(bad) - hits
    return 1 - below / (len(bad) * (len(order) - len(bad))), precision_sum / len(bad)


def audit(jensen, photos, folder, true, wrong, options):
    if not (folder / "audit.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        labels = folder / "wrong.csv"
        with labels.open("w", newline="") as file:
            csv.writer(file).writerows([("path", "label"), *sorted(wrong.items())])
        command = [jensen, "audit", photos, "--labels", str(labels), "-o", str(folder), "--labels-only", "-q"]
        begin = time.time()
        subprocess.run(command + [f"--set={option}" for option in options], check=True, stdout=subprocess.DEVNULL)
        (folder / "seconds").write_text(f"{time.time() - begin:.1f}")
    with (folder / "scores.csv").open(newline="") as file:
        scores = {row["path"]: float(row["score"]) for row in csv.DictReader(file)}
    bad = {path for path in true if true[path] != wrong[path]}
    found = {path for path, score in scores.items() if score >= 0.5}
    auroc, precision = ranking(scores, bad)
    rate = json.loads((folder / "audit.json").read_text())["noise_rate"]
    return (len(found & bad) / max(1, len(found)), len(found & bad) / len(bad), auroc, precision, 100 * rate,
            100 * len(bad) / len(true), float((folder / "seconds").read_text()))


def main():
    jensen, photos, out = sys.argv[1:4]
    seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    true = {str(path.relative_to(photos)): path.parent.name for path in pathlib.Path(photos).glob("*/*.*")}
    classes = sorted(set(true.values()))
    print("noise       precision  recall   AUROC     AP    rate %  true %  seconds")
    for kind, rate in NOISES:
        rows = []
        for seed in range(1, seeds + 1):
            wrong = wrong_labels(true, classes, kind, rate, seed)
            rows.append(audit(jensen, photos, pathlib.Path(out, f"{kind}-{rate}-{seed}"), true, wrong, sys.argv[5:]))
        means = [sum(column) / len(rows) for column in zip(*rows)]
        print("%-6s%4.0f%%  %9.3f  %6.3f  %6.4f  %6.4f  %5.1f   %5.1f   %6.1f" % (kind, 100 * rate, *means), flush=True)


main()
