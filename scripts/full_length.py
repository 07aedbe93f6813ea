#!/usr/bin/env python3
"""Full-length runs of the paper's Table 1, as docs/results.md shows them.

  full_length.py collect RUNS... [--pixels original|jpeg]   adds finished runs below RUNS
  full_length.py table                                      prints the tables of the page
  full_length.py figure OUT.svg                             accuracy over the epochs
  full_length.py bars OUT.svg                               final accuracies beside the paper's

A run is one line of docs/results/full_length.jsonl: what it was, its result, and the test
accuracy of every epoch. A run with the same data, noise, loss and seed is replaced. Runs of
other tables and figures, which lie in folders repro-NAME-..., are left out. The paper's
values come from tests/golden/paper_results.csv."""
import argparse
import csv
import json
import pathlib
import sys

top = pathlib.Path(__file__).resolve().parent.parent
record = top / "docs/results/full_length.jsonl"
methods = ["CE", "BS", "LS", "SCE", "GCE", "NCE+RCE", "JS", "GJS"]


def read_config(path):
    pairs = (line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    return {key: value.strip().strip('"') for key, value in pairs if not key.startswith("#")}


def key(run):
    return run["data"], run["pixels"], run["noise"], methods.index(run["method"]), run["seed"]


def load():
    if not record.exists():
        return []
    return [json.loads(line) for line in record.read_text().splitlines()]


def of_table1(result):
    return all(part.startswith("repro-table1-") for part in result.absolute().parts
               if part.startswith("repro-"))


def collect(folders, pixels):
    runs = {key(run): run for run in load()}
    found = sorted(p for f in folders for p in pathlib.Path(f).rglob("result.json"))
    for result in filter(of_table1, found):
        config, last = read_config(result.parent / "config.yaml"), json.loads(result.read_text())
        epochs = [json.loads(line) for line in
                  (result.parent / "metrics.jsonl").read_text().splitlines()]
        kind = config["data"].split(":")[0]
        run = {
            "data": kind, "pixels": pixels, "noise": config["noise"], "loss": config["loss"],
            "method": config["loss"].split(":")[0].upper(), "seed": int(config["seed"]),
            "epochs": last["epochs"], "precision": config["precision"],
            **{name: last[name] for name in ("test_acc", "test_acc_best", "consistency",
                                             "noise_real", "seconds", "weights_sha256")},
            "curve": [round(row["test_acc"], 4) for row in epochs],
        }
        if len(run["curve"]) != run["epochs"]:
            sys.exit(f"{result.parent}: {len(run['curve'])} rows for {run['epochs']} epochs")
        runs[key(run)] = run
    record.parent.mkdir(exist_ok=True)
    record.write_text("".join(json.dumps(runs[k]) + "\n" for k in sorted(runs)))
    others = sum(not of_table1(result) for result in found)
    print(f"{len(runs)} runs in {record.relative_to(top)}; {others} of other tables left out")


def noise_parts(noise):
    """The paper's words for a noise, and its rate."""
    if noise == "none":
        return "none", 0.0
    name, rate = noise.split(":rate=")
    return {"sym": "symmetric", "asym": "asymmetric"}[name], float(rate)


def paper(table="table1_cifar"):
    with open(top / "tests/golden/paper_results.csv", newline="") as file:
        return {(row["dataset"].lower().replace("-", ""), row["method"], row["noise_type"],
                 float(row["noise_rate"])): (float(row["mean"]), float(row["std"]))
                for row in csv.DictReader(file) if row["table"] == table}


def mean_and_deviation(values):
    mean = sum(values) / len(values)
    if len(values) == 1:
        return mean, None
    return mean, (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5


def cells(runs):
    """Runs by (data, pixels, noise, method), each a list over seeds."""
    found = {}
    for run in runs:
        found.setdefault(key(run)[:4], []).append(run)
    return found


def table():
    printed, consistencies = paper(), paper("consistency")
    shown = None
    for (data, pixels, noise, method), runs in sorted(cells(load()).items()):
        kind, rate = noise_parts(noise)
        if shown != (data, pixels, noise):
            shown = data, pixels, noise
            print(f"\n### {data}, {kind} noise {rate:.0%}, {pixels} pixels\n")
            print("| loss | seeds | jensen | the paper | difference | in deviations | best epoch "
                  "| consistency | the paper's |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        name = methods[method]
        ours, spread = mean_and_deviation([100 * run["test_acc"] for run in runs])
        best, _ = mean_and_deviation([100 * run["test_acc_best"] for run in runs])
        agree, _ = mean_and_deviation([100 * run["consistency"] for run in runs])
        theirs, deviation = printed[data, name, kind, rate]
        their_agree, _ = consistencies[data, name, kind, rate]
        accuracy = f"{ours:.2f}" + (f" ± {spread:.2f}" if spread is not None else "")
        print(f"| {name} | {len(runs)} | {accuracy} | {theirs:.2f} ± {deviation:.2f} "
              f"| {ours - theirs:+.2f} | {(ours - theirs) / deviation:+.1f} | {best:.2f} "
              f"| {agree:.2f} | {their_agree:.2f} |")


# Colours that are told apart in light and dark, and by people who see few of them.
colours = {"CE": "#0072b2", "GCE": "#d55e00", "JS": "#009e73", "GJS": "#cc3399"}
left, upper, width, height, gap = 52, 48, 420, 300, 110
style = ("<style>svg{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;"
         "background:#fff}.head{font-size:16px;font-weight:600;fill:#222}"
         ".tick,.note{font-size:13px;fill:#555}.name{font-size:13px;font-weight:600}"
         ".grid{stroke:#ddd}polyline{fill:none;stroke-width:1.6;stroke-linejoin:round}"
         ".ours{fill:#cc3399}.other{fill:#7a8ca3}.paper{fill:none;stroke:#222;stroke-width:1.4}"
         "@media(prefers-color-scheme:dark){svg{background:#16181c}.head{fill:#eee}"
         ".tick,.note{fill:#aaa}.grid{stroke:#333}.paper{stroke:#eee}.other{fill:#5d6c80}}</style>")


def panel(out, index, title, runs, printed, low, high):
    x0 = left + index * (width + gap)

    def x(epoch, epochs):
        return x0 + width * epoch / epochs

    def y(accuracy):
        return upper + height * (high - accuracy) / (high - low)

    out.append(f'<text class="head" x="{x0}" y="{upper - 18}">{title}</text>')
    for tick in range(low, high + 1, 10):
        out.append(f'<path class="grid" d="M{x0} {y(tick):.1f}h{width}"/>'
                   f'<text class="tick" x="{x0 - 8}" y="{y(tick) + 4:.1f}" '
                   f'text-anchor="end">{tick}</text>')
    for tick in range(0, 401, 100):
        out.append(f'<text class="tick" x="{x(tick, 400):.1f}" y="{upper + height + 20}" '
                   f'text-anchor="middle">{tick}</text>')
    out.append(f'<text class="tick" x="{x0 + width / 2}" y="{upper + height + 40}" '
               'text-anchor="middle">epoch</text>')
    out.append(f'<clipPath id="p{index}"><rect x="{x0}" y="{upper}" width="{width}" '
               f'height="{height}"/></clipPath><g clip-path="url(#p{index})">')
    for run in runs:
        points = " ".join(f"{x(i + 1, run['epochs']):.1f},{y(100 * a):.1f}"
                          for i, a in enumerate(run["curve"]))
        out.append(f'<polyline points="{points}" stroke="{colours[run["method"]]}"/>')
    out.append("</g>")
    # Names at the right edge, pushed apart where the ends of two curves are close.
    places = sorted((y(100 * run["curve"][-1]), run) for run in runs if run["seed"] == 1)
    previous = 0
    for place, run in places:
        previous = max(place + 4, previous + 15)
        out.append(f'<text class="name" fill="{colours[run["method"]]}" x="{x0 + width + 16}" '
                   f'y="{previous:.1f}">{run["method"]} {100 * run["test_acc"]:.1f}</text>')
    for run in runs:
        if run["seed"] == 1:
            kind, rate = noise_parts(run["noise"])
            mean, _ = printed[run["data"], run["method"], kind, rate]
            out.append(f'<path class="mark" fill="{colours[run["method"]]}" '
                       f'd="M{x0 + width + 1} {y(mean):.1f}l10 -5v10z"><title>the paper: '
                       f'{run["method"]} {mean}</title></path>')


def figure(path):
    printed = paper()
    runs = [run for run in load() if run["method"] in colours and run["noise"] == "sym:rate=0.4"]
    total = left + 2 * (width + gap)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{upper + height + 78}" '
           f'viewBox="0 0 {total} {upper + height + 78}" role="img">',
           "<title>Test accuracy over 400 epochs at 40% symmetric label noise</title>",
           style]
    panel(out, 0, "CIFAR-10, original pixels",
          [r for r in runs if (r["data"], r["pixels"]) == ("cifar10", "original")], printed, 40, 100)
    panel(out, 1, "CIFAR-100, JPEG pixels",
          [r for r in runs if r["data"] == "cifar100"], printed, 20, 80)
    out.append(f'<text class="note" x="{left}" y="{upper + height + 66}">test accuracy in %; '
               'triangles at the right edge: the paper, 400 epochs, original pixels</text></svg>')
    pathlib.Path(path).write_text("\n".join(out) + "\n")


def bars(path):
    """Each cell as a bar from 40%, the paper's mean and deviation as a line with ends."""
    printed, found = paper(), {}
    for (data, pixels, noise, method), runs in sorted(cells(load()).items()):
        found.setdefault((data, pixels, noise), []).append((methods[method], runs))
    row, low, high, names, values = 19, 40, 100, 82, 62
    scale = (980 - names - values) / (high - low)
    out, y = [], 10

    def x(accuracy):
        return names + scale * (accuracy - low)

    for (data, pixels, noise), column in found.items():
        kind, rate = noise_parts(noise)
        out.append(f'<text class="head" x="10" y="{y + 16}">{data.upper().replace("CIFAR", "CIFAR-")}, '
                   f'{f"{rate:.0%} {kind}" if rate else "no"} noise, '
                   f'{pixels.replace("jpeg", "JPEG")} pixels</text>')
        y += 28
        for tick in range(low, high + 1, 10):
            out.append(f'<path class="grid" d="M{x(tick):.1f} {y}v{row * len(column)}"/>')
        for name, runs in column:
            ours, _ = mean_and_deviation([100 * run["test_acc"] for run in runs])
            mean, deviation = printed[data, name, kind, rate]
            middle = y + row / 2
            out.append(f'<text class="tick" x="{names - 8}" y="{middle + 4}" text-anchor="end">{name}</text>'
                       f'<rect class="{"ours" if name == "GJS" else "other"}" x="{names}" y="{y + 3}" '
                       f'width="{x(ours) - names:.1f}" height="{row - 6}"/>'
                       f'<path class="paper" d="M{x(mean - deviation):.1f} {middle}H{x(mean + deviation):.1f}'
                       f'M{x(mean):.1f} {middle - 8}v16"><title>the paper: {name} {mean} ± {deviation}'
                       f'</title></path><text class="tick" x="{x(high) + 8:.1f}" y="{middle + 4}">{ours:.2f}</text>')
            y += row
        for tick in range(low, high + 1, 10):
            out.append(f'<text class="tick" x="{x(tick):.1f}" y="{y + 16}" text-anchor="middle">{tick}</text>')
        y += 34
    out.append(f'<text class="note" x="10" y="{y + 6}">test accuracy in % after 400 epochs; bars: jensen; '
               "lines: the paper's mean and deviation</text></svg>")
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="980" height="{y + 20}" '
            f'viewBox="0 0 980 {y + 20}" role="img"><title>Table 1 at full length, beside the paper</title>')
    pathlib.Path(path).write_text("\n".join([head, style, *out]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    adds = commands.add_parser("collect")
    adds.add_argument("runs", nargs="+")
    adds.add_argument("--pixels", choices=["original", "jpeg"], default="original")
    commands.add_parser("table")
    commands.add_parser("figure").add_argument("out")
    commands.add_parser("bars").add_argument("out")
    args = parser.parse_args()
    if args.command == "collect":
        collect(args.runs, args.pixels)
    elif args.command == "table":
        table()
    else:
        {"figure": figure, "bars": bars}[args.command](args.out)


main()
