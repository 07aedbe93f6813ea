"""gpu_loss.py JENSEN: `jensen loss --device cuda` against float64 on the CPU, values and gradients, for
several losses and shapes, a plugin among them; then training with what a loss brings to the device, twice
each with the same bits. Exit 1 when one is farther off than float32 explains."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

LOSSES = ("ce", "gjs:pi1=0.5", "gjs:pi1=0.9", "js:pi1=0.3", "gce", "sce", "nce+rce", "bs", "ls",
          "forward:matrix=t.csv", "backward:matrix=t.csv", "logitclip:tau=2,loss=ce",
          "logitclip:tau=1,p=3,loss=1*gce+1*mae", "myloss:q=0.4", "2*myloss:q=0.9+1*mae",
          "logitclip:tau=2,loss=myloss")
TRAINED = ("ce", "myloss:q=0.5", "1*myloss+1*mae", "logitclip:tau=1,loss=gjs", "forward:matrix=t.csv",
           "backward:matrix=t.csv")
SHAPES = ((5, 3), (128, 10), (64, 100), (33, 1000))
LIMIT = 2e-5  # of the largest entry; the losses' goldens in float32 are held to the same


def run(jensen, loss, views, device):
    options = [w for v in range(views) for w in ("--logits", f"{device}{v}.npy")]
    options += ["--plugin", "./myloss.so"] if "myloss" in loss else []
    out = subprocess.run([jensen, "loss", loss, *options, "--labels", "y.npy", "--grad", f"g{device}", "--json",
                          *(["--device", "cuda"] if device == "cuda" else [])],
                         check=True, capture_output=True, text=True).stdout
    return np.array([json.loads(out)["loss"]]), *(np.load(f"g{device}{v}.npy").astype(float) for v in range(views))


def weights(jensen, loss, out):
    """The hash of the weights after three epochs: their steps are recorded, and begin with a kernel or a table."""
    text = subprocess.run([jensen, "train", "builtin:size=512", "--network", "mlp:width=32", "--batch", "64",
                           "--epochs", "3", "--augment", "none", "--plugin", "./myloss.so", "--loss", loss,
                           "--device", os.environ.get("DEVICE", "cuda"), "--out", out, "--json", "-q"],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(text)["weights_sha256"]


def check_training(jensen):
    shares = 0.8 * np.eye(10) + 0.2 * np.roll(np.eye(10), 1, axis=1)
    np.savetxt("t.csv", shares, delimiter=",")
    hashes = set()
    for i, loss in enumerate(TRAINED):
        once, again = (weights(jensen, loss, f"run-{i}-{n}") for n in range(2))
        if once != again:
            sys.exit(f"{loss}: other weights the second time")
        hashes.add(once)
    if len(hashes) != len(TRAINED):
        sys.exit("different losses have the same weights")


def main():
    jensen, worst, cases = os.path.abspath(sys.argv[1]), 0.0, 0
    rng = np.random.default_rng(0)
    os.chdir(tempfile.mkdtemp())
    line = subprocess.run([jensen, "plugin", "new", "myloss"], check=True, capture_output=True, text=True).stdout
    subprocess.run(line, shell=True, check=True)
    for rows, classes in SHAPES:
        np.save("y.npy", rng.integers(0, classes, rows))
        shares = 0.8 * np.eye(classes) + 0.2 * np.roll(np.eye(classes), 1, axis=1)
        np.savetxt("t.csv", shares, delimiter=",")
        for v in range(2):
            logits = (rng.normal(size=(rows, classes)) * 3).astype(np.float32)
            np.save(f"cuda{v}.npy", logits)
            np.save(f"cpu{v}.npy", logits.astype(np.float64))
        for loss in LOSSES:
            if "myloss" in loss and rows not in (128, 33):
                continue  # every call compiles it again
            cases += 1
            views = 2 if loss.startswith("gjs") else 1
            for got, want in zip(run(jensen, loss, views, "cuda"), run(jensen, loss, views, "cpu")):
                off = np.abs(got - want).max() / np.abs(want).max()
                worst = max(worst, off)
                if not off <= LIMIT:
                    sys.exit(f"{loss} at {rows} x {classes}: off by {off:.2e} of the largest entry")
    check_training(jensen)
    print(f"{cases} cases, the farthest off by {worst:.1e} of the largest entry")


main()
