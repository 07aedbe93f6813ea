"""PreActResNet-34 in PyTorch under the names of its state_dict, GJS, and a reader of safetensors
files: the peer of bench/bf16_curve.py, bench/torch_step_gpu.py and
tests/peers/trained_in_pytorch.py."""
import json
import math
import struct

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


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


def gjs(logits, y, pi1=0.5):
    w = [pi1] + [(1 - pi1) / len(logits)] * len(logits)
    p = [F.one_hot(y, logits[0].shape[1]).float()] + [F.softmax(z.float(), 1) for z in logits]
    m = sum(a * q for a, q in zip(w, p)).clamp(min=1e-30).log()
    kl = [torch.where(q > 0, q * (q.clamp(min=1e-30).log() - m), torch.zeros_like(q)).sum(1).mean()
          for q in p]
    return sum(a * d for a, d in zip(w, kl)) / (-(1 - pi1) * math.log(1 - pi1))


def read_safetensors(path):
    data = open(path, "rb").read()
    head = 8 + struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": np.float32, "I64": np.int64}
    return {name: torch.from_numpy(np.frombuffer(data[head + e["data_offsets"][0]:head + e["data_offsets"][1]],
                                                 kinds[e["dtype"]]).reshape(e["shape"]).copy())
            for name, e in json.loads(data[8:head]).items() if name != "__metadata__"}
