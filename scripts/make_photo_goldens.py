#!/usr/bin/env python3
"""make_photo_goldens.py [tune] - writes tests/golden/photo_networks.safetensors: what PyTorch computes
in float64 for the networks for photographs, and how far float32 is from it. `tune` writes
tests/golden/tuned_networks.safetensors instead: the same in fine-tuning.

Needs torch, torchvision, efficientnet_lite_pytorch and numpy. Weights, images and labels follow
from the formula of tests/backend/network_formula.h, so the file has results alone:

    NAME/setup           batch, height = width, classes
    NAME/eval_logits     before training, with the initial statistics
    NAME/loss            of one step with cross-entropy
    NAME/train_logits
    NAME/gradients       a row a parameter: FNV-1a of its name (32 bits), norm, first four entries
    NAME/statistics      the same for running means and variances after the step
    NAME/deviation       float32 beside float64: eval_logits, train_logits, the norms and the entries
                         of gradients and of statistics, as parts of the largest

The second file has setup, loss and gradients where BatchNorm keeps its running statistics, which
follow from the formula as well.
"""
import json
import math
import os
import struct
import sys

import numpy as np
import torch
import torchvision
from efficientnet_lite_pytorch import EfficientNet

CASES = [("efficientnet-lite0", 4, 64), ("efficientnet-lite1", 4, 49), ("efficientnet-lite2", 4, 52),
         ("efficientnet-lite3", 4, 40), ("efficientnet-lite4", 4, 45), ("mobilenetv2", 4, 64),
         ("resnet34", 4, 64), ("resnet101", 4, 48)]
TUNED = [("efficientnet-lite0", 3, 40), ("mobilenetv2", 3, 40), ("resnet34", 3, 40)]
CLASSES = 7
FIRST = 4
U64 = (1 << 64) - 1


def fnv1a64(name):
    h = 0xCBF29CE484222325
    for c in name.encode():
        h = ((h ^ c) * 0x100000001B3) & U64
    return h


def uniform(name, count):
    x = np.uint64(1) + np.uint64(fnv1a64(name)) + np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = x + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / 9007199254740992.0


def network(name):
    if name.startswith("efficientnet"):
        return EfficientNet.from_name(name, num_classes=CLASSES, image_size=None, dropout_rate=0.0,
                                      drop_connect_rate=0.0)
    if name == "mobilenetv2":
        return torchvision.models.mobilenet_v2(num_classes=CLASSES, dropout=0.0)
    return getattr(torchvision.models, name)(num_classes=CLASSES)


def fill(net):
    norms = {id(p) for m in net.modules() if isinstance(m, torch.nn.BatchNorm2d) for p in m.parameters()}
    for name, p in net.named_parameters():
        s = 2.0 * uniform(name, p.numel()) - 1.0
        if p.dim() > 1:
            value = math.sqrt(3.0 / (p.numel() / p.shape[0])) * s
        elif id(p) in norms and name.endswith("weight"):
            value = 1.0 + 0.1 * s
        elif id(p) in norms:  # so that a ReLU6 meets both of its ends
            value = 0.1 * s + np.array([0.0, 3.0, 5.0])[np.arange(p.numel()) % 3]
        else:
            value = 0.1 * s
        with torch.no_grad():
            p.copy_(torch.from_numpy(value.astype(np.float32).reshape(p.shape)))


def rows(named):
    out = []
    for name, t in named:
        flat = t.detach().double().flatten()
        first = flat[:FIRST].tolist() + [0.0] * (FIRST - min(FIRST, flat.numel()))
        out.append([float(fnv1a64(name) & 0xFFFFFFFF), flat.norm().item()] + first)
    return np.array(out)


def fill_statistics(net):
    for name, b in net.named_buffers():
        s = 2.0 * uniform(name, b.numel()) - 1.0
        if name.endswith("running_mean"):
            b.copy_(torch.from_numpy((0.1 * s).astype(np.float32)))
        elif name.endswith("running_var"):
            b.copy_(torch.from_numpy((1.0 + 0.5 * s).astype(np.float32)))


def batch_of(batch, size, dtype):
    x = math.sqrt(3.0) * (2.0 * uniform("input.view1", batch * 3 * size * size) - 1.0)
    x = torch.from_numpy(x.astype(np.float32).reshape(batch, 3, size, size)).to(dtype)
    return x, torch.from_numpy((uniform("labels", batch) * CLASSES).astype(np.int64))


def tuned(name, batch, size):
    net = network(name)
    fill(net)
    fill_statistics(net)
    net = net.double().eval()
    x, labels = batch_of(batch, size, torch.float64)
    loss = torch.nn.functional.cross_entropy(net(x), labels)
    loss.backward()
    return {"loss": np.array([loss.item()]), "gradients": rows((n, p.grad) for n, p in net.named_parameters())}


def run(name, batch, size, dtype):
    net = network(name)
    fill(net)
    net = net.to(dtype)
    x, labels = batch_of(batch, size, dtype)
    net.eval()
    with torch.no_grad():
        result = {"eval_logits": net(x).double().numpy()}
    net.train()
    logits = net(x)
    loss = torch.nn.functional.cross_entropy(logits, labels)
    loss.backward()
    result["loss"] = np.array([loss.item()])
    result["train_logits"] = logits.detach().double().numpy()
    result["gradients"] = rows((n, p.grad) for n, p in net.named_parameters())
    result["statistics"] = rows((n, b) for n, b in net.named_buffers() if "running" in n)
    return result


def off(got, want):
    """By the largest entry of each row, or 1e-4 of the largest of all."""
    scale = np.maximum(np.abs(want).max(-1, keepdims=True), 1e-4 * np.abs(want).max())
    return (np.abs(got - want) / scale).max()


def deviations(got, want):
    out = [off(got[k].reshape(1, -1), want[k].reshape(1, -1)) for k in ("eval_logits", "train_logits")]
    for k in ("gradients", "statistics"):
        out += [off(got[k][:, 1:2], want[k][:, 1:2]), off(got[k][:, 2:], want[k][:, 2:])]
    return np.array(out)


def networks():
    tensors = {}
    for name, batch, size in CASES:
        want = run(name, batch, size, torch.float64)
        want["deviation"] = deviations(run(name, batch, size, torch.float32), want)
        want["setup"] = np.array([batch, size, CLASSES], dtype=np.float64)
        print(name, "loss %.6f" % want["loss"][0], "float32 off by", " ".join("%.1e" % d for d in want["deviation"]))
        tensors.update({f"{name}/{k}": v for k, v in want.items()})
    return tensors


def tuned_networks():
    tensors = {}
    for name, batch, size in TUNED:
        want = tuned(name, batch, size)
        want["setup"] = np.array([batch, size, CLASSES], dtype=np.float64)
        print(name, "loss %.6f" % want["loss"][0])
        tensors.update({f"{name}/{k}": v for k, v in want.items()})
    return tensors


def write(tensors, file):
    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F64", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../tests/golden", file), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(np.ascontiguousarray(t).tobytes() for t in tensors.values()))


if sys.argv[1:] == ["tune"]:
    write(tuned_networks(), "tuned_networks.safetensors")
else:
    write(networks(), "photo_networks.safetensors")
