"""networks_in_pytorch.py JENSEN FOLDER - see networks_in_pytorch.sh."""
import json
import os
import struct
import subprocess
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

jensen, folder = sys.argv[1:3]
torch.manual_seed(0)


class Basic(nn.Module):
    def __init__(self, cin, cout, stride, shortcut):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.skip = shortcut
        if stride != 1 or cin != cout:
            setattr(self, shortcut, nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False),
                                                  nn.BatchNorm2d(cout)))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (getattr(self, self.skip)(x) if hasattr(self, self.skip) else x))


class Bottleneck(nn.Module):
    def __init__(self, cin, width, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(cin, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        if stride != 1 or cin != 4 * width:
            self.downsample = nn.Sequential(nn.Conv2d(cin, 4 * width, 1, stride, bias=False),
                                            nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))))
        return F.relu(self.bn3(self.conv3(y)) + (self.downsample(x) if hasattr(self, "downsample") else x))


class ResNet(nn.Module):
    def __init__(self, blocks, make, expansion, small, head):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 3 if small else 7, 1 if small else 2, 1 if small else 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.small, cin = small, 64
        for i, n in enumerate(blocks):
            stage = []
            for j in range(n):
                stage.append(make(cin, 64 << i, 2 if i and j == 0 else 1))
                cin = expansion * (64 << i)
            setattr(self, f"layer{i + 1}", nn.Sequential(*stage))
        self.head = head[0]
        setattr(self, *head)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = x if self.small else F.max_pool2d(x, 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return getattr(self, self.head)(x.mean((2, 3)))


class Layer(nn.Module):
    def __init__(self, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)


class Cnn(nn.Module):
    def __init__(self, classes):
        super().__init__()
        cin = 3
        for i, c in enumerate((16, 32, 64, 128)):
            setattr(self, f"layer{i + 1}", Layer(conv=nn.Conv2d(cin, c, 3, 2 if i else 1, 1, bias=False),
                                                 bn=nn.BatchNorm2d(c)))
            cin = c
        self.linear = nn.Linear(128, classes)

    def forward(self, x):
        for i in range(4):
            layer = getattr(self, f"layer{i + 1}")
            x = F.relu(layer.bn(layer.conv(x)))
        return self.linear(x.mean((2, 3)))


class Mlp(nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        self.layer1, self.layer2 = Layer(linear=nn.Linear(inputs, 256)), Layer(linear=nn.Linear(256, 256))
        self.linear = nn.Linear(256, classes)

    def forward(self, x):
        return self.linear(F.relu(self.layer2.linear(F.relu(self.layer1.linear(x.flatten(1))))))


def write_safetensors(path, tensors):
    header, at, data = {}, 0, []
    for name, t in tensors.items():
        a = t.numpy()
        dtype = {np.dtype("float32"): "F32", np.dtype("int64"): "I64"}[a.dtype]
        header[name] = {"dtype": dtype, "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
        data.append(np.ascontiguousarray(a).tobytes())
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def linear(n, k):
    return nn.Linear(n, k)


def cases():
    down = lambda a, b, s: Basic(a, b, s, "downsample")
    yield "resnet18", 45, ResNet((2, 2, 2, 2), down, 1, False, ("fc", linear(512, 6)))
    yield "resnet34-plc", 32, ResNet((3, 4, 6, 3), lambda a, b, s: Basic(a, b, s, "shortcut"), 1, True,
                                     ("linear", linear(512, 6)))
    yield "resnet50-plc", 64, ResNet((3, 4, 6, 3), Bottleneck, 4, False,
                                     ("fc", nn.Sequential(linear(2048, 512), linear(512, 6))))
    yield "cnn", 19, Cnn(6)
    yield "mlp", 8, Mlp(192, 6)


failures = 0
weights, images, logits = (os.path.join(folder, n) for n in ("w.safetensors", "x.npy", "z.npy"))
for name, size, net in cases():
    with torch.no_grad():
        for m in net.modules():
            if isinstance(m, nn.BatchNorm2d):  # as a trained network has them
                m.running_mean.normal_(0, 0.2)
                m.running_var.uniform_(0.5, 2)
                m.weight.uniform_(0.5, 1.5)
                m.bias.normal_(0, 0.2)
        net.eval()
        x = torch.randn(5, 3, size, size)
        want = net.double()(x.double()).numpy()
    state = net.float().state_dict()
    # Integers first: their alignment is the widest.
    write_safetensors(weights, dict(sorted(state.items(), key=lambda e: e[1].dtype != torch.int64)))
    np.save(images, x.numpy())
    for device in ("ref", "cpu"):
        done = subprocess.run([jensen, "predict", "--network", name, "--init", weights, "--classes", "6", "--array",
                               images, "--logits", logits, "--device", device, "--batch", "2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode != 0:
            print(f"{name} on {device}: {done.stderr.strip()}")
            failures += 1
            continue
        off = np.abs(np.load(logits) - want).max() / np.abs(want).max()
        print(f"{name} on {device}: logits off by {off:.1e} of the largest")
        # 1e-7 a layer, fifty layers, and Winograd's 1e-5.
        failures += not off < 5e-5
sys.exit(failures > 0)
