#!/usr/bin/env python3
"""walk.py [--all | --every N | --points N] [--only COMMAND] [--jobs N] - makes one call after the other go wrong.

Each command of the program runs once undisturbed, which tells its calls and its result. Then,
from the same start, one of these calls fails, is cut short, or is where the process is killed
(fault_shim.h). Whatever happens, the program has to

  - end by itself, with a documented exit code: 0, or 1 and a sentence on stderr;
  - not notice a call that was interrupted (EINTR) or did half of what was asked (short);
  - leave the data and its neighbours as they were;
  - give the result of the undisturbed run when the same command is given again, and leave no
    temporary file.

Without --all a selection: of the calls of one kind on files of one kind the first and the last,
each with one of the ways to go wrong; of these every N-th (--every N). --points N takes N of all, spread evenly. The programs are those in $JENSEN and $FAULT_SHIM.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

JENSEN, SHIM = os.environ["JENSEN"], os.environ["FAULT_SHIM"]
ERRORS = {
    "open": ["EIO", "EMFILE", "EACCES", "ESTALE", "ENOMEM", "EINTR"],
    "create": ["EIO", "ENOSPC", "EMFILE", "EROFS", "EINTR", "kill-after"],
    "read": ["EIO", "short", "EINTR", "ESTALE"],
    "write": ["ENOSPC", "short", "EINTR", "kill-after", "EIO", "kill"],
    "sync": ["EIO", "EINTR", "kill-after"],
    "close": ["EIO", "EINTR"],
    "rename": ["EIO", "kill", "kill-after"],
    "remove": ["EIO", "kill-after"],
    "mkdir": ["EIO", "ENOSPC", "kill-after"],
    "list": ["EIO"],
    "stat": ["EIO", "ESTALE"],
    "truncate": ["EIO", "kill"],
    "lock": ["EIO", "EINTR"],
    "map": ["ENOMEM"],
    "thread": ["EAGAIN"],
}
INVISIBLE = {"short", "EINTR"}
SMALL = ("--network mlp:width=4 --device ref --batch 10 --threads 1 --workers 0 --augment fit "
         "--image-size 8 --epochs 2 --val-fraction 0").split()
SMALL_FOLDS = [word for name, value in zip(SMALL[::2], SMALL[1::2]) if name not in ("--val-fraction", "--threads")
               for word in ("--set", f"{name[2:]}={value}")]


def sha(run):
    with open(os.path.join(run, "result.json")) as file:
        return json.load(file)["weights_sha256"]


def tree(folder):
    """Names and contents below a folder, as one hash; where it is not there, nothing."""
    total = hashlib.sha256()
    for path, folders, files in sorted(os.walk(folder)):
        folders.sort()
        for name in sorted(files):
            full = os.path.join(path, name)
            total.update(os.path.relpath(full, folder).encode() + b"\0")
            with open(full, "rb") as file:
                total.update(file.read() + b"\0")
    return total.hexdigest()


def text(place, name):
    with open(os.path.join(place, name)) as file:
        return file.read()


def audit_result(place, output):
    """The tables of an audit; audit.json says how long it took."""
    del output
    return text(place, "b/scores.csv") + text(place, "b/suspects.csv") + tree(os.path.join(place, "b/pictures"))


def decided(place, output):
    """What is decided, without the time; rows of one ruling are one write."""
    del output
    return sorted(",".join(line.split(",")[:3]) for line in text(place, "a/decisions.csv").splitlines())


def several(*names):
    return lambda place, output: [tree(os.path.join(place, name)) if os.path.isdir(os.path.join(place, name))
                                  else text(place, name) for name in names]


def tuned(place, output):
    del place
    return [line for line in output.splitlines() if line.startswith("  jensen train")]


def printed(place, output):
    del place
    return output


def study_gone(place, output):
    del output
    return subprocess.run([JENSEN, "sweep", "status", "s", "--store", "s.db"], cwd=place, capture_output=True).returncode


def study_result(place, output):
    del output
    text = subprocess.run([JENSEN, "sweep", "export", "s", "--store", "s.db"], cwd=place, check=True,
                          capture_output=True, text=True).stdout
    return [",".join(line.split(",")[:6]) for line in text.splitlines()] + [
        sha(os.path.join(place, "runs/s", run)) for run in sorted(os.listdir(os.path.join(place, "runs/s")))]


# name: (what it begins with, arguments, result from its folder and its output)
COMMANDS = {
    "train": ([], ["train", "data", *SMALL, "-q", "--out", "run"],
              lambda place, output: sha(os.path.join(place, "run"))),
    "continue": (["stopped"], ["train", "data", *SMALL, "-q", "--out", "stopped"],
                 lambda place, output: sha(os.path.join(place, "stopped"))),
    "predict": (["done"], ["predict", "done", "data", "--device", "ref"], lambda place, output: output),
    "report": (["done"], ["report", "done", "--out", "page.html"],
               lambda place, output: os.path.getsize(os.path.join(place, "page.html")) > 1000),
    "sweep": (["s.db"], ["sweep", "run", "s", "--store", "s.db", "--runs", "runs", "-q", "--grace", "1"], study_result),
    "convert": ([], ["data", "convert", "data", "--out", "converted", "--format", "png"],
                lambda place, output: tree(os.path.join(place, "converted"))),
    "check": ([], ["data", "check", "data"], lambda place, output: output),
    "check-run": (["done"], ["check", "done"], printed),
    "audit": (["p.npy"], ["audit", "data", "--posteriors", "p.npy", "--cutoff", "1e-6", "-q", "-o", "b"], audit_result),
    "folds": ([], ["audit", "data", "--folds", "2", "--labels-only", "-q", "-o", "b", *SMALL_FOLDS], audit_result),
    "apply": (["a", "l.csv"], ["labels", "apply", "a", "--min-score", "0.5", "--out", "l.csv"], several("l.csv")),
    "copy": (["a"], ["labels", "apply", "a", "--min-score", "0.5", "--copy", "copied"], several("copied")),
    "move": (["m", "photos"], ["labels", "apply", "m", "--min-score", "0.5", "--move"], several("photos")),
    "export-labels": (["a"], ["labels", "export", "a", "--format", "label-studio"],
                      several("a/label-studio.json", "a/label-studio.xml")),
    "import-labels": (["a", "answers.csv"], ["labels", "import", "a", "answers.csv"], decided),
    "weights": (["w.safetensors"], ["weights", "import", "w.safetensors", "--as", "w"], several("cache/weights")),
    "onnx": (["done"], ["export", "done", "-o", "m.onnx", "-q"],
             lambda place, output: os.path.getsize(os.path.join(place, "m.onnx"))),
    "pytorch": (["done"], ["export", "done", "-o", "m.py", "--format", "pytorch", "-q"], several("m.py")),
    "eval": (["done"], ["eval", "done", "data", "--device", "ref", "--csv", "e.csv"], several("e.csv")),
    # Here the threads of the network read the images.
    "table": (["cnn", "t.csv"], ["predict", "cnn", "data", "--device", "cpu", "--threads", "2", "--csv", "t.csv"],
              several("t.csv")),
    "tune": ([], ["tune", "data", *SMALL[:-2], "--val-fraction", "0.3", "--runs", "2", "-q"], tuned),
    "delete": (["s.db"], ["sweep", "delete", "s", "--yes", "--store", "s.db"], study_gone),
}
# What a command says that was done already, and its exit code.
DONE = {"convert": (2, "is not empty"), "copy": (2, "exists already"), "move": (2, "were moved already"),
        "delete": (2, "no study")}


def npy_of(samples, classes):
    """Probabilities, all alike but for the first class, as float32."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({samples}, {classes}), }}"
    head += " " * (117 - len(head)) + "\n"
    row = struct.pack(f"<{classes}f", 0.55, *[0.45 / (classes - 1)] * (classes - 1))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + row * samples


def prepare(start):
    """The folder that every command begins with."""
    def do(*arguments):
        subprocess.run([JENSEN, *arguments], cwd=start, check=True, capture_output=True)
    do("data", "convert", "builtin:size=20,test=4", "--out", "data",
       "--format", "ppm")
    do("train", "data", *SMALL, "-q", "--out", "done")
    shutil.copytree(os.path.join(start, "done"), os.path.join(start, "stopped"))
    os.remove(os.path.join(start, "stopped/result.json"))
    do("sweep", "create", "s", "data", *SMALL, "--axis", "lr=0.01,0.02", "--store", "s.db")
    with open(os.path.join(start, "p.npy"), "wb") as file: # an image is of the first class, or of all alike
        file.write(npy_of(20, 10))
    for data, audit in (("data", "a"), ("photos", "m")):
        if data == "photos":
            shutil.copytree(os.path.join(start, "data"), os.path.join(start, "photos"))
        do("audit", data, "--posteriors", "p.npy", "--cutoff", "1e-6", "--labels-only", "-o", audit)
    do("labels", "apply", "a", "--min-score", "0.5", "--out", "answers.csv")
    do("train", "data", "--network", "cnn:width=4", "--device", "ref", "--epochs", "1", "--batch", "10", "-q", "--image-size",
       "16", "--out", "cnn")
    shutil.copy(os.path.join(start, "cnn/model.safetensors"), os.path.join(start, "w.safetensors"))
    for name in ("l.csv", "t.csv"): # of an earlier time
        with open(os.path.join(start, name), "w") as file:
            file.write("earlier\n")
    with open(os.path.join(start, "neighbour.txt"), "w") as file:
        file.write("somebody else's\n")


def call(place, arguments, **fault):
    """Exit code, output and messages; negative codes are signals, None is a hang."""
    environment = dict(os.environ, JENSEN_CACHE=os.path.join(place, "cache"), **fault)
    if fault:
        environment["LD_PRELOAD"] = SHIM
    try:
        done = subprocess.run([JENSEN, *arguments], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def alike(path):
    """Paths that are treated alike have the same text: images, class folders, numbered files."""
    if path.startswith(("/data/", "/converted", "/photos", "/copied")):
        path = re.sub(r"(train|test)/[^/]+(/[^/.]+[.])?", "class", path)
    return re.sub(r"[0-9a-f]{16}|[0-9]+", "N", path)


class Walk:
    def __init__(self, work, name):
        self.work, self.start, self.name = work, os.path.join(work, "start"), name
        self.needs, self.arguments, self.result = COMMANDS[name]
        self.kept = tree(os.path.join(self.start, "data"))
        place = self.fresh()
        code, output, said = call(place, self.arguments, FAULT_CALLS=",".join(ERRORS), FAULT_PATH=work,
                                  FAULT_TRACE=os.path.join(work, name + ".trace"))
        if code != 0:
            raise SystemExit(f"{name}: undisturbed it ends with {code}: {said}")
        self.calm = self.result(place, output)
        with open(os.path.join(work, name + ".trace")) as file:
            self.calls = [line.rstrip("\n").replace(place, "").replace(self.start, "").split(" ", 2)[1:] for line in file]
        shutil.rmtree(place)

    def fresh(self):
        """A folder to work in. The data is only read, and shared."""
        place = tempfile.mkdtemp(dir=self.work)
        os.symlink("../start/data", os.path.join(place, "data"))
        for name in ["neighbour.txt", *self.needs]:
            subprocess.run(["cp", "-r", os.path.join(self.start, name), place], check=True)
        return place

    def points(self, everything):
        """(kind of call, number among the calls of this kind, what happens)."""
        seen, chosen = {}, []
        numbers = {}
        for kind, path in self.calls:
            numbers[kind] = number = numbers.get(kind, 0) + 1
            like = (kind, alike(path))
            seen.setdefault(like, []).append(number)
        for turn, (like, at) in enumerate(sorted(seen.items())):
            ways = ERRORS[like[0]]
            if like[0] == "sync" and ".db" in like[1]:  # SQLite does not repeat it, but says so
                ways = [way for way in ways if way != "EINTR"]
            if everything:
                chosen += [(like[0], n, way) for n in at for way in ways]
            else:
                chosen += [(like[0], at[0], ways[turn % len(ways)]), (like[0], at[-1], ways[(turn + 1) % len(ways)])]
        return sorted(set(chosen))

    def try_point(self, point):
        """What is wrong at this point, "" when nothing is."""
        kind, number, way = point
        place = self.fresh()
        try:
            code, output, said = call(place, self.arguments, FAULT_CALLS=kind, FAULT_AT=str(number), FAULT_DO=way,
                                      FAULT_PATH=self.work)
            wrong = self.judge(place, way, code, output, said)
            if not wrong:
                code, output, said = call(place, self.arguments)
                wrong = self.judge_again(place, code, output, said)
            return wrong
        finally:
            shutil.rmtree(place)

    def judge(self, place, way, code, output, said):
        if code is None:
            return "it hangs"
        if way.startswith("kill"):
            return "" if code == -9 else f"not killed, but {code}"
        if code < 0:
            return f"signal {-code}"
        if way in INVISIBLE and code != 0:
            return f"exit {code}: {said.strip()}"
        if code == 0:
            got = self.result(place, output)
            return "" if got == self.calm else f"exit 0, and another result: {got}"
        if code != 1 and not (code == 3 and way == "EACCES"):
            return f"exit {code}: {said.strip()}"
        return "" if said.strip() else "no sentence"

    def judge_again(self, place, code, output, said):
        expected, sentence = DONE.get(self.name, (None, ""))  # as it is the second time
        done = code == expected and sentence in said
        if code != 0 and not done:
            return f"the same command again: exit {code}: {said.strip()}"
        if self.result(place, output) != self.calm:
            return "the same command again: another result"
        if tree(os.path.join(place, "data")) != self.kept:
            return "the data has changed"
        with open(os.path.join(place, "neighbour.txt")) as file:
            if file.read() != "somebody else's\n":
                return "a neighbour has changed"
        # A page or a table in a folder of the user's has no owner who would look for them.
        left = [os.path.join(path, name) for path, _, files in os.walk(place) for name in files
                if path != place and ".tmp" in name]
        return f"temporary files are left: {left}" if left else ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--all", action="store_true")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--points", type=int, default=0)
    options.add_argument("--only", choices=COMMANDS)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = options.parse_args()
    wrong = total = 0
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, "start"))
        prepare(os.path.join(work, "start"))
        for name in [asked.only] if asked.only else COMMANDS:
            walk = Walk(work, name)
            points = walk.points(asked.all or asked.points > 0)[::asked.every]
            if 0 < asked.points < len(points):
                points = [points[i * len(points) // asked.points] for i in range(asked.points)]
            with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
                for point, said in zip(points, pool.map(walk.try_point, points)):
                    if said:
                        wrong += 1
                        print(f"FAILED: {name}, {point[0]} {point[1]} {point[2]}: {said}", flush=True)
            total += len(points)
            print(f"{name}: {len(points)} points of {len(walk.calls)} calls", flush=True)
    print(f"{total - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
