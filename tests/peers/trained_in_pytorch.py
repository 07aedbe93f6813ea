"""trained_in_pytorch.py JENSEN RUN PICTURES - see trained_in_pytorch.sh."""
import glob
import json
import os
import struct
import subprocess
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image

jensen, run, pictures = sys.argv[1:4]


class Block(nn.Module):
    """The shortcut of a block that shrinks starts from the activated input."""

    def __init__(self, cin, cout, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(cin), nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn2, self.conv2 = nn.BatchNorm2d(cout), nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        if stride != 1 or cin != cout:
            self.shortcut = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False))

    def forward(self, x):
        a = F.relu(self.bn1(x))
        skip = self.shortcut(a) if hasattr(self, "shortcut") else x
        return self.conv2(F.relu(self.bn2(self.conv1(a)))) + skip


class PreActResNet34(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, 1, 1, bias=False)
        cin = 32
        for stage, width in enumerate((32, 64, 128)):
            blocks = []
            for i in range(5):
                blocks.append(Block(cin, width, 2 if stage and i == 0 else 1))
                cin = width
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.bn, self.linear = nn.BatchNorm2d(128), nn.Linear(128, classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.conv1(x))))
        return self.linear(F.relu(self.bn(x)).mean((2, 3)))


def read_safetensors(path):
    data = open(path, "rb").read()
    head = 8 + struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": np.float32, "I64": np.int64}
    return {name: torch.from_numpy(np.frombuffer(data[head + e["data_offsets"][0]:head + e["data_offsets"][1]],
                                                 kinds[e["dtype"]]).reshape(e["shape"]).copy())
            for name, e in json.loads(data[8:head]).items() if name != "__metadata__"}


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
