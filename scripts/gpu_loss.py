"""gpu_loss.py JENSEN: `jensen loss --device cuda` against float64 on the CPU, values and gradients, for
several losses and shapes, a plugin among them. Exit 1 when one is farther off than float32 explains."""
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
SHAPES = ((5, 3), (128, 10), (64, 100), (33, 1000))
LIMIT = 2e-5  # of the largest entry; the losses' goldens in float32 are held to the same


def run(jensen, loss, views, device):
    options = [w for v in range(views) for w in ("--logits", f"{device}{v}.npy")]
    options += ["--plugin", "./myloss.so"] if "myloss" in loss else []
    out = subprocess.run([jensen, "loss", loss, *options, "--labels", "y.npy", "--grad", f"g{device}", "--json",
                          *(["--device", "cuda"] if device == "cuda" else [])],
                         check=True, capture_output=True, text=True).stdout
    return np.array([json.loads(out)["loss"]]), *(np.load(f"g{device}{v}.npy").astype(float) for v in range(views))


def main():
    jensen, worst = os.path.abspath(sys.argv[1]), 0.0
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
            views = 2 if loss.startswith("gjs") else 1
            for got, want in zip(run(jensen, loss, views, "cuda"), run(jensen, loss, views, "cpu")):
                off = np.abs(got - want).max() / np.abs(want).max()
                worst = max(worst, off)
                if not off <= LIMIT:
                    sys.exit(f"{loss} at {rows} x {classes}: off by {off:.2e} of the largest entry")
    print(f"{len(LOSSES) * len(SHAPES)} cases, the farthest off by {worst:.1e} of the largest entry")


main()
