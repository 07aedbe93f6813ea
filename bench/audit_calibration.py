#!/usr/bin/env python3
"""audit_calibration.py pairs FOLDER TRUE.csv OUT.csv - of an audit whose true labels are known (path,label): score,wrong of each image.

audit_calibration.py plot FILE.svg NAME=PAIRS.csv[,PAIRS.csv...] ... - of the labels with a score near s, which share is
wrong: ten equal steps of the score, steps with fewer than 30 labels left out. Prints the mean difference (ECE) as well.
Standard library alone."""
import csv
import pathlib
import sys

STEPS, LEAST = 10, 30


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def pairs(folder, true, out):
    label = {row["path"]: row["label"] for row in rows_of(true)}
    with open(out, "w", newline="") as file:
        csv.writer(file).writerows([("score", "wrong"), *(
            (row["score"], int(row["given"] != label[row["path"]])) for row in rows_of(pathlib.Path(folder, "scores.csv")))])


def curve(found):
    steps = [[] for _ in range(STEPS)]
    for score, wrong in found:
        steps[min(STEPS - 1, int(score * STEPS))].append((score, wrong))
    mean = lambda step, at: sum(pair[at] for pair in step) / len(step)
    error = sum(abs(mean(step, 0) - mean(step, 1)) * len(step) for step in steps if step) / len(found)
    points = [(mean(step, 0), mean(step, 1), 2 * (mean(step, 1) * (1 - mean(step, 1)) / len(step)) ** 0.5)
              for step in steps if len(step) >= LEAST]
    return points, error


def plot(image, *series):
    from plot_lines import lines

    drawn = []
    for word in series:
        name, files = word.split("=")
        found = [(float(row["score"]), int(row["wrong"])) for file in files.split(",") for row in rows_of(file)]
        points, error = curve(found)
        drawn.append((f"{name}: {error:.3f} off in the mean", points))
        print(f"{name}: {len(found)} labels, mean difference {error:.3f};", " ".join(f"{s:.2f}:{w:.2f}" for s, w, _ in points))
    pathlib.Path(image).write_text(lines(drawn, "Of the labels with a score near s, which share is wrong", "score s",
                                         "share of wrong labels", (0, 1), (0, 1), diagonal=True))


{"pairs": pairs, "plot": plot}[sys.argv[1]](*sys.argv[2:])
