#!/usr/bin/env python3
"""Every loss and method on CIFAR-10 with 40% symmetric noise: the table of docs/results-short.md.

  all_losses.py run FOLDER cpu|gpu DATA [NAME...] [--seconds N] [--epochs N] [--together N]
                [--jensen PROGRAM]
  all_losses.py table FOLDER      prints what FOLDER has, as Markdown
  all_losses.py list              prints the plan

DATA is the folder of CIFAR-10's binary files, or builtin:size=N for a trial, NAME one or more rows
of the plan. A run is FOLDER/SCALE/NAME. What has ended is not run again, and what was stopped goes
on, so the same command works through the plan in pieces: --seconds and Ctrl-C stop it with a
checkpoint (exit 75). What a device refuses is tried again next time. FOLDER/collected.tar.xz,
unpacked elsewhere, is enough for `table`, and for `run` to know what has ended.

On a GPU up to 8 rows that differ in the loss alone are trained side by side (--together), as a
study in FOLDER/SCALE/studies.db: the same weights in less time. A program without SQLite trains
them one by one."""
import argparse
import itertools
import json
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
import tarfile
import time
import zlib

# The small network sees 10,000 images in batches of 32, so that it takes about as many steps
# (9,390) as the large one with all images in batches of 128 (11,730).
scales = {
    "cpu": "--device cpu --network cnn --batch 32 --subset 10000",
    "gpu": "--device cuda --network preactresnet34 --batch 128 --precision bf16",
}
titles = {"cpu": "cnn, 10,000 images, 2 cores", "gpu": "PreActResNet-34, bf16, GPU"}
common = "--noise sym:rate=0.4 --augment strong --val-fraction 0 --consistency end --seed 1"
warm_up = "ce-warm-up"  # a third of the epochs with ce, where other runs begin


def paper(rate, decay):
    """Rate and decay of Table 7 of the GJS paper, with its schedule."""
    return f"--lr {rate} --weight-decay {decay} --schedule step:at=0.5/0.75,factor=0.1"


# The settings of NCE's authors, which those of AGCE, ANL and epsilon-softmax kept in their code,
# but for ANL's L1 norm in place of the decay.
nce = "--lr 0.01 --weight-decay 1e-4 --schedule cosine"
anl = "--lr 0.01 --weight-decay 0 --schedule cosine --l1 5e-5"
ce, js, gjs = paper("0.05", "1e-3"), paper("0.01", "5e-4"), paper("0.1", "5e-4")
elr = "--lr 0.02 --weight-decay 1e-3 --schedule step:at=0.333/0.667,factor=0.01"
sop = "--lr 0.02 --weight-decay 5e-4 --schedule step:at=0.333/0.667,factor=0.1"
clip = "--lr 0.1 --weight-decay 5e-4 --schedule step:at=0.4/0.7,factor=0.1"

# What peer's authors take for CIFAR-10 where alpha is 1: a rate of 0.01 / (1 + alpha), and 1e-5
# beside the probabilities, without which the loss has no lower bound and falls without end. Their
# alpha goes from 0 to 4.3 in 300 epochs; here epochs with ce are followed by one alpha.
peer = "--lr 0.005 --weight-decay 1e-4 --schedule step:at=0.5/0.75,factor=0.1"

# Name, loss, further options, whose they are. kl is ce and gjs-consistency reads no label:
# neither has a row. "ce's": the authors give none for these data.
plan = [
    (warm_up, "ce", ce, None),
    ("gjs", "gjs:pi1=0.9", gjs, "the paper's"),
    ("js", "js:pi1=0.7", js, "the paper's"),
    ("gjs-nocons", "gjs-nocons:pi1=0.9", gjs, "gjs's"),
    ("gjs-mixup", "gjs:pi1=0.9", gjs + " --mixup 1", "gjs's, mixup's"),
    ("ce", "ce", ce, "the paper's"),
    ("ls", "ls:epsilon=0.9", paper("0.1", "5e-4"), "the paper's"),
    ("bs", "bs:beta=0.7", paper("0.1", "1e-3"), "the paper's"),
    ("focal", "focal:gamma=0.5", nce, "nce's"),
    ("poly", "poly:epsilon=2", ce, "ce's"),
    ("mae", "mae", nce, "nce's"),
    ("gce", "gce:q=0.7", paper("0.01", "5e-4"), "the paper's"),
    ("taylor", "taylor:t=2", ce, "ce's"),
    ("bitempered", "bitempered:t1=0.8,t2=1.2", ce, "ce's"),
    ("agce", "agce:a=0.6,q=0.6", nce, "authors'"),
    ("aul", "aul:a=5.5,q=3", nce, "authors'"),
    ("ael", "ael:a=2.5", nce, "authors'"),
    ("rce", "rce", nce, "nce's"),
    ("sce", "sce:alpha=0.1,beta=0.1", paper("0.01", "5e-4"), "the paper's"),
    ("nce", "nce", nce, "authors'"),
    ("nfl", "nfl:gamma=0.5", nce, "nce's"),
    ("nce+rce", "nce+rce:alpha=10,beta=0.1", paper("0.005", "1e-3"), "the paper's"),
    ("nce+rce-1-1", "nce+rce:alpha=1,beta=1", nce, "authors'"),
    ("nce+mae", "1*nce+1*mae", nce, "nce's"),
    ("nfl+rce", "1*nfl:gamma=0.5+1*rce", nce, "nce's"),
    ("nce+agce", "nce+agce:alpha=1,beta=4,a=6,q=1.5", nce, "authors'"),
    ("nce+aul", "nce+aul:alpha=1,beta=4,a=6.3,q=1.5", nce, "authors'"),
    ("nce+ael", "nce+ael:alpha=1,beta=4,a=5", nce, "authors'"),
    ("anl-ce", "anl-ce:alpha=5,beta=5", anl, "authors'"),
    ("anl-fl", "anl-fl:alpha=5,beta=5", anl, "authors'"),
    ("eps-ce", "eps-ce:m=10000", nce, "authors'"),
    ("eps-ce+mae", "eps-ce+mae:alpha=0.01,beta=5,m=100000", nce, "authors'"),
    ("forward", "forward:rate=0.4", ce, "ce's"),
    ("backward", "backward:rate=0.4", ce, "ce's"),
    ("peer", "peer:alpha=1,clamp=1e-5", peer + " --init {warm_up}", "authors', one alpha"),
    ("fdiv-tv", "fdiv-tv", ce + " --init {warm_up}", "ce's, after ce"),
    ("fdiv-pearson", "fdiv-pearson", ce + " --init {warm_up}", "ce's, after ce"),
    ("fdiv-js", "fdiv-js", ce + " --init {warm_up}", "ce's, after ce"),
    ("logitclip", "logitclip:tau=0.667,loss=ce", clip, "authors'"),
    ("kl-rev", "kl-rev", js, "js's"),
    ("jeffreys", "jeffreys", js, "js's"),
    ("k", "k", js, "js's"),
    ("k-rev", "k-rev", js, "js's"),
    ("js-sqrt", "js-sqrt", js, "js's"),
    ("elr", "ce", elr + " --method elr:lambda=3,beta=0.7", "authors', steps for restarts"),
    ("sop", "ce", sop + " --method sop:lr_u=10,lr_v=10", "ours"),
]


def epochs_of(name, options, epochs):
    """Those that begin after the warm-up have the rest of the epochs."""
    first = max(epochs // 3, 1)
    return first if name == warm_up else max(epochs - first, 1) if "{warm_up}" in options else epochs


def data_of(args):
    return args.data if args.data.startswith("builtin") else f"cifar10:{args.data}"


def options_of(args, name, options):
    """All but data, loss and folder."""
    warm = shlex.quote(str(args.folder / args.scale / warm_up))
    return (["--epochs", str(epochs_of(name, options, args.epochs))] +
            shlex.split(f"{common} {scales[args.scale]} {options}".format(warm_up=warm)))


def call(words, log, end=None):
    """The program's exit code; 75 where it was stopped, at `end` of the monotonic clock."""
    with open(log, "a", encoding="utf-8") as file:
        process = subprocess.Popen(words, stdout=file, stderr=file, stdin=subprocess.DEVNULL)
        try:
            return process.wait(None if end is None else end - time.monotonic())
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.send_signal(signal.SIGTERM)
            process.wait()
            return 75


def last_line(log):
    return (log.read_text(encoding="utf-8").splitlines() or [""])[-1]


def train(args, row, end):
    """One row by itself."""
    name, loss, options, _ = row
    folder, start = args.folder / args.scale, time.monotonic()
    log = folder / f"{name}.log"
    code = call([args.jensen, "train", data_of(args), "--out", str(folder / name), "--loss", loss] +
                options_of(args, name, options), log, end)
    print(f"{args.scale} {name}: exit {code}, {time.monotonic() - start:.0f} s", flush=True)
    if code not in (0, 75):
        print("  " + last_line(log))
        return 1
    return code


def study_of(args, rows):
    """A study of these rows, made unless it is there; None where the program cannot."""
    folder = args.folder / args.scale
    words = ([data_of(args), "--axis", "loss=" + ";".join(row[1] for row in rows)] +
             options_of(args, rows[0][0], rows[0][2]))
    name = f"{rows[0][0]}-{len(rows)}-{zlib.crc32(' '.join(words).encode()):08x}"
    store, log = ["--store", f"sqlite:///{folder / 'studies.db'}"], folder / f"{name}.log"
    if (call([args.jensen, "sweep", "status", name] + store, log) == 0 or
            call([args.jensen, "sweep", "create", name] + words + store, log) == 0):
        return name, store, log
    print("one by one: " + last_line(log).removesuffix("; 'jensen sweep create --help' explains"))
    return None


def keep(args, rows, trials):
    """Moves finished trials to where single runs are; the names of the others."""
    folder, left = args.folder / args.scale, []
    known = together(folder)
    # Where one fails the others are trained again, one after another.
    whole = all((trials / f"trial-{number:05}/result.json").exists() for number in range(len(rows)))
    for number, (name, _, _, _) in enumerate(rows):
        trial = trials / f"trial-{number:05}"
        if not (trial / "result.json").exists():
            left.append(name)
            continue
        if (folder / name).exists():  # what a run by itself left when it was stopped
            (folder / name).rename(folder / f"{name}.stopped-{time.time_ns()}")
        if args.scale == "gpu" and whole:  # on the CPU they go one after another, too
            known[name] = len(rows)
        trial.rename(folder / name)
    new = folder / "together.json.new"
    new.write_text(json.dumps(known), encoding="utf-8")
    new.replace(folder / "together.json")
    return left


def train_together(args, rows, end):
    """Rows that differ in the loss alone, side by side; None where the program cannot."""
    start, folder = time.monotonic(), args.folder / args.scale
    study = study_of(args, rows)
    if study is None:
        return None
    name, store, log = study
    words = [args.jensen, "sweep", "run", name, "--runs", str(folder / "studies"), "--together",
             str(len(rows)), "--retry-failed"] + store
    code = call(words, log, end)
    names = " ".join(row[0] for row in rows)
    print(f"{args.scale} {names}: exit {code}, {time.monotonic() - start:.0f} s", flush=True)
    if code == 75:
        return 75
    left = keep(args, rows, folder / "studies" / name)
    if left:
        print(f"  without a result: {' '.join(left)}; {last_line(log)}")
    return 1 if left or code else 0


def groups_of(args, rows):
    """The rows in the plan's order, those of the same options in groups of at most --together."""
    kinds = {}
    for row in rows:
        kinds.setdefault(tuple(options_of(args, row[0], row[2])), []).append(row)
    size = args.together or (8 if args.scale == "gpu" else 1)
    return list(itertools.chain.from_iterable(
        (kind[i:i + size] for i in range(0, len(kind), size)) for kind in kinds.values()))


def collect(folder):
    """All but pictures and weights; of weights those that other runs begin with."""
    new = folder / "collected.tar.xz.new"
    with tarfile.open(new, "w:xz") as tar:
        for path in sorted(folder.glob("*/**/*")):
            if (path.suffix in (".json", ".jsonl", ".yaml", ".txt", ".log") or
                    (path.parent.name, path.name) == (warm_up, "model.safetensors")):
                tar.add(path, path.relative_to(folder))
    new.replace(folder / "collected.tar.xz")


def run(args):
    rows = [row for row in plan if not args.names or row[0] in args.names]
    unknown = set(args.names) - {row[0] for row in plan}
    if unknown:
        sys.exit(f"all_losses.py: no row {', '.join(sorted(unknown))} in the plan; see 'list'")
    folder = args.folder / args.scale
    folder.mkdir(parents=True, exist_ok=True)
    end, codes = time.monotonic() + args.seconds if args.seconds else None, [0]
    waiting = groups_of(args, [row for row in rows
                               if not (folder / row[0] / "result.json").exists()])
    while waiting and codes[-1] != 75:
        group = waiting.pop(0)
        if end is not None and time.monotonic() >= end:
            codes.append(75)
        elif len(group) == 1:
            codes.append(train(args, group[0], end))
        else:
            code = train_together(args, group, end)
            if code is None:
                waiting = [[row] for row in group] + waiting
            codes.append(code or 0)
    collect(args.folder)
    return max(codes)


def option(run_folder, key):
    for line in (run_folder / "config.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith(key + ":"):
            return line.split(":", 1)[1].strip().strip('"')
    return ""


def together(folder):
    """How many runs went side by side, for those that did."""
    path = folder / "together.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def measured(run_folder):
    """Test accuracy and consistency in percent, milliseconds a step (of all runs side by side,
    divided by their number); None: not finished."""
    if not (run_folder / "result.json").exists():
        return None
    result = json.loads((run_folder / "result.json").read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in
            (run_folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    # The first epoch also waits for what a device prepares.
    rates = [row["images_per_second"] for row in rows[1:] or rows if row["images_per_second"]]
    images = int(option(run_folder, "batch")) * int(option(run_folder, "views"))
    step = 1000 * images / statistics.median(rates) if rates else float("nan")
    count = together(run_folder.parent).get(run_folder.name, 1)
    shown = f"{step / count:.2f}" + (f" ({count})" if count > 1 else "")
    return 100 * result["test_acc"], 100 * result["consistency"], shown


def settings(options):
    words = shlex.split(options)
    value = dict(zip(words[::2], words[1::2]))
    return f"{value['--lr']}, {value['--weight-decay']}, {value['--schedule'].split(':')[0]}"


def table(args):
    shown = [scale for scale in scales if (args.folder / scale).is_dir()]
    found = {(scale, row[0]): measured(args.folder / scale / row[0])
             for scale in shown for row in plan}
    best = {scale: max((m[0] for (s, _), m in found.items() if s == scale and m), default=None)
            for scale in shown}
    print("| | loss | rate, decay, schedule | whose |" +
          "".join(f" {titles[scale]}: test | consistency | ms a step |" for scale in shown))
    print("|---|---|---|---|" + "--:|--:|--:|" * len(shown))
    for name, loss, options, whose in plan:
        if whose is None:
            continue
        cells = []
        for scale in shown:
            m = found[scale, name]
            bold = "**" if m and m[0] == best[scale] else ""
            cells += [f"{bold}{m[0]:.2f}{bold}", f"{m[1]:.2f}", m[2]] if m else ["-"] * 3
        extra = " ".join(shlex.split(options)[6:]).replace("--init {warm_up}", "")
        print("| " + " | ".join([name, f"`{loss} {extra}".strip() + "`", settings(options), whose] +
                                cells) + " |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run_parser = commands.add_parser("run")
    run_parser.add_argument("folder", type=pathlib.Path)
    run_parser.add_argument("scale", choices=scales)
    run_parser.add_argument("data")
    run_parser.add_argument("names", nargs="*")
    run_parser.add_argument("--seconds", type=float, default=0)
    run_parser.add_argument("--epochs", type=int, default=30)
    run_parser.add_argument("--together", type=int, default=0)
    run_parser.add_argument("--jensen", default="build/release/jensen")
    commands.add_parser("table").add_argument("folder", type=pathlib.Path)
    commands.add_parser("list")
    args = parser.parse_args()
    if args.command == "run":
        return run(args)
    if args.command == "table":
        return table(args)
    for name, loss, options, _ in plan:
        print(f"{name:14} {loss} {options}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
