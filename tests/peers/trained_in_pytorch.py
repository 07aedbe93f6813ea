"""trained_in_pytorch.py JENSEN RUN PICTURES - see trained_in_pytorch.sh."""
import glob
import json
import os
import subprocess
import sys

import numpy as np
import torch
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
from torch_preactresnet34 import PreActResNet34, read_safetensors

jensen, run, pictures = sys.argv[1:4]


def ask(*args):
    done = subprocess.run([jensen, "predict", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    if done.returncode != 0:
        sys.exit(f"jensen predict {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout


card = json.load(open(os.path.join(run, "model.json")))
weights = os.path.join(run, "model.safetensors")
net = PreActResNet34(len(card["classes"]))
assert sum(p.numel() for p in net.parameters()) == 1860138
start = {k: v.clone() for k, v in net.state_dict().items()}
net.load_state_dict(read_safetensors(weights))  # strict: every name and shape
for name, value in net.state_dict().items():
    if name.endswith("running_mean"):  # two steps of two views were recorded
        assert not torch.equal(value, start[name]), name
net.eval()

files = sorted(glob.glob(os.path.join(pictures, "**", "*.png"), recursive=True))
assert len(files) == 20
mean, deviation = (np.array(card[k], np.float32)[:, None, None] for k in ("mean", "deviation"))
x = np.stack([(np.asarray(Image.open(f).convert("RGB"), np.float32).transpose(2, 0, 1) / 255 - mean) / deviation
              for f in files])
with torch.no_grad():
    logits = net.double()(torch.from_numpy(x).double())
    want, shares = logits.numpy(), logits.softmax(1).numpy()
scratch = os.path.join(run, "..")
array, out = os.path.join(scratch, "x.npy"), os.path.join(scratch, "z.npy")
np.save(array, x)
failures = 0
for device in ("cpu", "ref"):
    ask("--network", "preactresnet34", "--init", weights, "--classes", str(len(card["classes"])), "--array", array,
        "--logits", out, "--device", device)
    off = np.abs(np.load(out) - want).max() / np.abs(want).max()
    print(f"trained preactresnet34 on {device}: logits off by {off:.1e} of the largest")
    failures += not off < 5e-5  # as in networks_in_pytorch.py
rows = [json.loads(line) for line in ask(run, *files, "--json", "--top", str(len(card["classes"]))).splitlines()]
assert len(rows) == len(files)
worst = 0.0
for row, file, share in zip(rows, files, shares):
    assert row["path"] == file, row
    got = {c["class"]: c["probability"] for c in row["top"]}
    worst = max(worst, *(abs(got[name] - p) for name, p in zip(card["classes"], share)))
print(f"its run on image files: probabilities off by {worst:.1e}")
failures += not worst < 1e-5
sys.exit(failures > 0)
