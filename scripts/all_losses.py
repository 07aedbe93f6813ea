#!/usr/bin/env python3
"""Every loss and method on CIFAR-10 with 40% symmetric noise: the table of docs/results-short.md.

  all_losses.py run FOLDER cpu|gpu DATA [NAME...] [--seconds N] [--epochs N] [--jensen PROGRAM]
  all_losses.py table FOLDER      prints what FOLDER has, as Markdown
  all_losses.py list              prints the plan

DATA is the folder of CIFAR-10's binary files, NAME one or more rows of the plan. A run is
FOLDER/SCALE/NAME. What has ended is not run again, and what was stopped goes on, so the same
command works through the plan in pieces: --seconds and Ctrl-C stop it with a checkpoint (exit 75).
What a device refuses is tried again next time. FOLDER/collected.tar.xz, unpacked elsewhere, is
enough for `table`, and for `run` to know what has ended."""
import argparse
import json
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
import tarfile
import time

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
    ("peer", "peer:alpha=1", ce + " --init {warm_up}", "ce's, after ce"),
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


def command(args, name, loss, options):
    folder = args.folder / args.scale
    return ([args.jensen, "train", f"cifar10:{args.data}", "--out", str(folder / name),
             "--loss", loss, "--epochs", str(epochs_of(name, options, args.epochs))] +
            shlex.split(f"{common} {scales[args.scale]} {options}".format(
                warm_up=shlex.quote(str(folder / warm_up)))))


def train(words, log, seconds):
    """The run's exit code; 75 where it was stopped in time."""
    with open(log, "a", encoding="utf-8") as file:
        process = subprocess.Popen(words, stdout=file, stderr=file, stdin=subprocess.DEVNULL)
        try:
            return process.wait(seconds)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.send_signal(signal.SIGTERM)
            process.wait()
            return 75


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
    (args.folder / args.scale).mkdir(parents=True, exist_ok=True)
    began, code = time.monotonic(), 0
    for name, loss, options, _ in rows:
        if (args.folder / args.scale / name / "result.json").exists():
            continue
        left = args.seconds - (time.monotonic() - began) if args.seconds else None
        if left is not None and left <= 0:
            code = 75
            break
        start = time.monotonic()
        log = args.folder / args.scale / f"{name}.log"
        ended = train(command(args, name, loss, options), log, left)
        print(f"{args.scale} {name}: exit {ended}, {time.monotonic() - start:.0f} s", flush=True)
        if ended == 75:
            code = 75
            break
        if ended:
            print("  " + log.read_text(encoding="utf-8").splitlines()[-1])
            code = 1
    collect(args.folder)
    return code


def option(run_folder, key):
    for line in (run_folder / "config.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith(key + ":"):
            return line.split(":", 1)[1].strip().strip('"')
    return ""


def measured(run_folder):
    """Test accuracy and consistency in percent, milliseconds a step; None: not finished."""
    if not (run_folder / "result.json").exists():
        return None
    result = json.loads((run_folder / "result.json").read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in
            (run_folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    # The first epoch also waits for what a device prepares.
    rates = [row["images_per_second"] for row in rows[1:] or rows if row["images_per_second"]]
    images = int(option(run_folder, "batch")) * int(option(run_folder, "views"))
    step = 1000 * images / statistics.median(rates) if rates else float("nan")
    return 100 * result["test_acc"], 100 * result["consistency"], step


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
            cells += [f"{bold}{m[0]:.2f}{bold}", f"{m[1]:.2f}", f"{m[2]:.2f}"] if m else ["-"] * 3
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
