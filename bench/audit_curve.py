#!/usr/bin/env python3
"""audit_curve.py run JENSEN DATA NOISE OUT [STEPS] [SEEDS] [SET ...] - what putting labels right is worth: accuracy on clean test data

before, after all suggestions with a score of at least 0.5 were taken, and after a reviewer who knows the truth has looked at
the first N labels (STEPS: 0,50,100,200,400), in the order of the audit, in random order, and in cleanlab's order of the same
probabilities (where cleanlab is installed). DATA has a test split; NOISE is a spec of `jensen noise`, also
file:cifar10n.csv,column=worse. SET are options of `jensen train`, for the folds and the trainings. What is there is not
made again. Appends a line a training to OUT/curve.csv.

audit_curve.py order OUT - the order of cleanlab for the seeds of OUT, for a machine that lacks it.

audit_curve.py split PHOTOS OUT - a folder with a folder a class as train and test (a quarter), by links.

audit_curve.py plot TITLE FILE.svg OUT... - means over the seeds, as a table and a picture. Standard library alone."""
import csv
import json
import os
import pathlib
import random
import subprocess
import sys


def say(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_labels(path, labels):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("path", "label"), *labels.items()])


def cleanlab_order(folder, labels, classes):
    """The order is kept in a file, so that a machine without cleanlab can go on with it."""
    kept = folder / "cleanlab_order.txt"
    if not kept.exists():
        try:
            import numpy as np
            from cleanlab.rank import get_label_quality_scores
        except ImportError:
            return None
        given = np.array([classes.index(label) for label in labels.values()])
        quality = get_label_quality_scores(given, np.load(folder / "posteriors.npy").astype(float))
        paths = list(labels)
        kept.write_text("\n".join(paths[i] for i in np.argsort(quality, kind="stable")))
    return kept.read_text().split("\n")


def audited(jensen, data, noise, folder, seed, options):
    """An audit of `data` with `noise` in folder/audit, unless it is there: its classes, and the true and the wrong labels."""
    folder.mkdir(parents=True, exist_ok=True)
    say(jensen, "noise", data, "--noise", noise, "--seed", seed, "--out", folder / "noise.csv")
    noisy = rows_of(folder / "noise.csv")
    write_labels(folder / "wrong.csv", {row["path"]: row["noisy"] for row in noisy})
    if not (folder / "audit" / "audit.json").exists():
        say(jensen, "audit", data, "--labels", folder / "wrong.csv", "-o", folder / "audit", "--labels-only", "-q",
            *(f"--set={word}" for word in (f"seed={seed}", *options)))
    classes = json.loads((folder / "audit" / "audit.json").read_text())["classes"]
    return classes, *({row["path"]: classes[int(row[column])] for row in noisy} for column in ("given", "noisy"))


def one_seed(jensen, data, noise, out, steps, seed, options):
    folder = out / f"seed-{seed}"
    classes, true, wrong = audited(jensen, data, noise, folder, seed, options)
    scores = rows_of(folder / "audit" / "scores.csv")

    def train(name, labels):
        run, file = folder / name, folder / f"{name}.csv"
        if not (run / "result.json").exists():
            write_labels(file, labels)
            say(jensen, "train", data, "--labels", file, "--out", run, "--seed", seed, "-q", *(f"--{word}" for word in options))
        left = sum(labels[path] != true[path] for path in labels)
        return json.loads((run / "result.json").read_text())["test_acc"], left

    yield ("none", 0, *train("before", wrong))
    taken = {row["path"]: row["suggested"] for row in scores if float(row["score"]) >= 0.5}
    yield ("accepted", len(taken), *train("accepted", {**wrong, **taken}))
    orders = {"audit": [row["path"] for row in sorted(scores, key=lambda row: -float(row["score"]))],
              "random": random.Random(seed).sample(sorted(wrong), len(wrong)),
              "cleanlab": cleanlab_order(folder / "audit", wrong, classes)}
    for name, order in orders.items():
        for step in steps if order else ():
            looked = {path: true[path] for path in order[:step]}
            yield (name, step, *train(f"{name}-{step}" if step else "before", {**wrong, **looked}))


def run(jensen, data, noise, out, steps="0,50,100,200,400", seeds="3", *options):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    lines = [("seed", "order", "looked", "accuracy", "wrong_left")]
    for seed in range(1, int(seeds) + 1):
        for row in one_seed(jensen, data, noise, out, [int(step) for step in steps.split(",")], seed, options):
            lines.append((seed, *row))
            print(*lines[-1], flush=True)
            with (out / "curve.csv").open("w", newline="") as file:
                csv.writer(file).writerows(lines)


def order(out):
    for folder in sorted(pathlib.Path(out).glob("seed-*")):
        classes = json.loads((folder / "audit" / "audit.json").read_text())["classes"]
        labels = {row["path"]: classes[int(row["noisy"])] for row in rows_of(folder / "noise.csv")}
        cleanlab_order(folder / "audit", labels, classes)


def split(photos, out):
    for folder in sorted(pathlib.Path(photos).iterdir()):
        files = sorted(folder.iterdir())
        random.Random(folder.name).shuffle(files)
        for number, file in enumerate(files):
            to = pathlib.Path(out, "test" if number < len(files) // 4 else "train", folder.name)
            to.mkdir(parents=True, exist_ok=True)
            os.link(file, to / file.name)


def plot(title, image, *outs):
    from plot_lines import lines

    rows = [row for out in outs for row in rows_of(pathlib.Path(out, "curve.csv"))]
    table = {}
    for row in rows:
        table.setdefault((row["order"], int(row["looked"]) if row["order"] != "accepted" else -1), []).append(row)
    points = {}
    for (order, looked), found in sorted(table.items()):
        values = [100 * float(row["accuracy"]) for row in found]
        mean = sum(values) / len(values)
        error = (sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1) / len(values)) ** 0.5
        left = sum(int(row["wrong_left"]) for row in found) / len(found)
        points.setdefault(order, []).append((looked, mean, error))
        print(f"| {order} | {looked if looked >= 0 else '-'} | {mean:.2f} +- {error:.2f} | {left:.0f} |")
    last = max(looked for _, looked in table)
    series = [(name, points[order]) for order, name in (("audit", "jensen's order"), ("cleanlab", "cleanlab's order"),
                                                        ("random", "random order")) if order in points]
    flat = points["accepted"][0]
    series.append(("all suggestions above 0.5, nobody looks", [(0, flat[1], 0), (last, flat[1], 0)]))
    values = [v for _, line in series for _, v, _ in line]
    margin = 0.1 * (max(values) - min(values)) + 0.1
    pathlib.Path(image).write_text(lines(series, title, "labels that the reviewer has looked at", "test accuracy, %", (0, last),
                                         (min(values) - margin, max(values) + margin), dashed=(series[-1][0],)))


if __name__ == "__main__":
    {"run": run, "order": order, "split": split, "plot": plot}[sys.argv[1]](*sys.argv[2:])
