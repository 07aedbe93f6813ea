#!/usr/bin/env python3
"""audit_cleanlab.py run JENSEN OUT CIFAR10 CIFAR100 CIFAR10N.csv [SET ...] - class probabilities of images whose true labels are known

by `jensen audit`, on every row of ROWS below. CIFAR10 and CIFAR100 are folders of the binary files, `-` leaves one out. SET are
options of `jensen train` for the folds. What is there is not made again. Standard library alone.

audit_cleanlab.py compare OUT [FILE.csv] - jensen.audit() and cleanlab on these probabilities: a Markdown table, cleanlab with
the best of its scores and lists in each row; FILE.csv has all of them. Needs cleanlab and the jensen package."""
import csv
import pathlib
import sys
import time

from audit_curve import audited, rows_of

ROWS = [(f"cifar10n-{column}", "cifar10", "file:{cifar10n},column=" + column) for column in ("worse", "random1", "aggregate")]
ROWS += [(f"{data}-{kind}-{rate}", data, f"{kind}:rate=0.{rate}") for data in ("cifar10", "cifar100")
         for kind in ("sym", "asym") for rate in (20, 40)]
SCORES = [("self_confidence", False), ("self_confidence", True), ("normalized_margin", False), ("normalized_margin", True),
          ("confidence_weighted_entropy", False)]
LISTS = ("prune_by_noise_rate", "prune_by_class", "both", "confident_learning", "predicted_neq_given")


def run(jensen, out, cifar10, cifar100, cifar10n, *options):
    folders = {"cifar10": cifar10, "cifar100": cifar100}
    for name, data, noise in ROWS:
        if folders[data] == "-":
            continue
        begin = time.monotonic()
        audited(jensen, f"{data}:{folders[data]}", noise.format(cifar10n=cifar10n), pathlib.Path(out, name), 1, options)
        print(f"{name} {time.monotonic() - begin:.0f} s", flush=True)


def timed(function, *arguments, **named):
    begin = time.monotonic()
    return function(*arguments, **named), time.monotonic() - begin


def one_row(folder):
    """(who, what, AUROC, average precision, precision, recall, seconds, rate), and the recall that our order gains at the precision of each list"""
    import jensen
    import numpy as np
    from cleanlab.count import compute_confident_joint
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores
    from sklearn.metrics import average_precision_score, roc_auc_score

    noisy = rows_of(folder / "noise.csv")
    given, true = (np.array([int(row[column]) for row in noisy]) for column in ("noisy", "given"))
    p = np.load(folder / "audit" / "posteriors.npy").astype(float)
    p /= p.sum(1, keepdims=True)
    wrong = given != true
    ours, seconds = timed(jensen.audit, given, p)
    found = np.isin(np.arange(len(given)), ours.suspects)
    list_of = lambda found: (wrong[found].mean() if found.any() else 0, wrong[found].sum() / wrong.sum())
    yield "jensen", "combined", roc_auc_score(wrong, ours.score), average_precision_score(wrong, ours.score), *list_of(found), seconds, ours.noise_rate
    for method, adjusted in SCORES:
        quality, seconds = timed(get_label_quality_scores, given, p, method=method, adjust_pred_probs=adjusted)
        yield ("cleanlab", method + (", adjusted" if adjusted else ""), roc_auc_score(wrong, -quality),
               average_precision_score(wrong, -quality), "", "", seconds, "")
    joint = compute_confident_joint(given, p)
    order = np.cumsum(wrong[np.argsort(-ours.score, kind="stable")])
    precisions = order / np.arange(1, len(order) + 1)
    for name in LISTS:
        found, seconds = timed(find_label_issues, given, p, filter_by=name, n_jobs=2)
        precision, recall = list_of(found)
        reached = np.nonzero(precisions >= precision)[0]
        yield "cleanlab", name, "", "", precision, recall, seconds, 1 - np.trace(joint) / joint.sum()
        yield "jensen", f"at the precision of {name}", "", "", precision, order[reached[-1]] / wrong.sum() if len(reached) else 0, "", ""
    yield "true", "", "", "", "", "", "", wrong.mean()


def compare(out, file=None):
    lines = []
    print("| labels | wrong, % | AUROC | cleanlab | av. precision | cleanlab | precision, recall of the list | cleanlab's best F1 |"
          " recall gained at the precision of its lists | rate, % | cleanlab | s | cleanlab |")
    print("|---" * 13 + "|")
    for name, *_ in ROWS:
        folder = pathlib.Path(out, name)
        if not (folder / "audit" / "posteriors.npy").exists():
            continue
        found = list(one_row(folder))
        lines += [(name, *line) for line in found]
        ours, true, peers = found[0], found[-1], [line for line in found if line[0] == "cleanlab"]
        best = lambda at: max(line[at] for line in peers if line[at] != "")
        lists = [line for line in peers if line[4] != ""]
        listed = max(lists, key=lambda line: line[4] * line[5] / (line[4] + line[5]))
        again = [line for line in found[1:] if line[0] == "jensen"]
        gained = [mine[5] - line[5] for mine, line in zip(again, lists)]
        print(f"| {name} | {100 * true[7]:.1f} | {ours[2]:.4f} | {best(2):.4f} | {ours[3]:.4f} | {best(3):.4f} | {ours[4]:.3f}, {ours[5]:.3f} | "
              f"{listed[4]:.3f}, {listed[5]:.3f} | {min(gained):+.4f} to {max(gained):+.4f} | {100 * ours[7]:.1f} | {100 * listed[7]:.1f} | "
              f"{ours[6]:.2f} | {listed[6]:.2f} |", flush=True)
    if file:
        with open(file, "w", newline="") as csv_file:
            csv.writer(csv_file).writerows([("labels", "by", "what", "auroc", "average_precision", "precision", "recall", "seconds", "rate"), *lines])


if __name__ == "__main__":
    {"run": run, "compare": compare}[sys.argv[1]](*sys.argv[2:])
