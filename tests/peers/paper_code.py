"""paper_code.py REPOSITORY - the losses of the paper's public code (ErikEnglesson/GJS) beside ours, swapped in by two lines.

Two copies of a small network see the same 200 batches, one with each loss. Printed is the largest difference of loss and
gradient at the same weights, and of the two curves of training. Nothing of the repository is changed.
"""
import contextlib
import copy
import io
import sys
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

sys.path.insert(0, sys.argv[1])
import losses  # noqa: E402, of the repository

import jensen.noise  # noqa: E402
import jensen.torch  # noqa: E402, the first line of the swap

STEPS, BATCH, CLASSES = 200, 64, 10
ROWS = (  # options of the repository's train.py; what stands for get_criterion() then; views
    ({"loss": "JSWCS", "js_weights": "0.9 0.05 0.05"}, jensen.torch.GJS(pi1=0.9), 2),
    ({"loss": "JSWCS", "js_weights": "0.5 0.25 0.25"}, jensen.torch.GJS(pi1=0.5), 2),
    ({"loss": "JSWCS", "js_weights": "0.5 0.5"}, jensen.torch.JS(pi1=0.5), 1),
    ({"loss": "GCE", "q": 0.7}, jensen.torch.GCE(q=0.7), 1),
)


def reference(options):
    first = {"loss_alpha": 1.0, "loss_beta": 1.0, "q": 0.7, "js_weights": "0.5 0.5", "dissect_js": None}
    with contextlib.redirect_stdout(io.StringIO()):
        return losses.get_criterion(CLASSES, SimpleNamespace(**{**first, **options}))


def batches(views, dtype):
    """Pictures of a class with much noise, 40% of the labels wrong; the same at every call."""
    random = np.random.default_rng(0)
    pictures = random.normal(0, 1, (CLASSES, 3, 16, 16))
    for step in range(STEPS):
        truth = random.integers(0, CLASSES, BATCH)
        labels = jensen.noise.symmetric(truth, 0.4, seed=step, classes=CLASSES).labels
        images = [pictures[truth] + random.normal(0, 2, (BATCH, 3, 16, 16)) for _ in range(views)]
        yield [torch.tensor(image, dtype=dtype) for image in images], torch.tensor(labels, dtype=torch.int64)


def network(dtype):
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.BatchNorm2d(16),
                         nn.ReLU(), nn.Flatten(), nn.Linear(16 * 16, CLASSES)).to(dtype)


def gradient(criterion, logits, labels):
    given = [z.detach().clone().requires_grad_() for z in logits]
    value = criterion(given if len(given) > 1 else given[0], labels)
    return value.item(), torch.cat(torch.autograd.grad(value, given))


def compare(options, ours, views, dtype):
    theirs = reference(options)
    nets = [network(dtype)]
    nets.append(copy.deepcopy(nets[0]))
    steps = [torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True) for net in nets]
    values, gradients, curves = 0.0, 0.0, []
    for images, labels in batches(views, dtype):
        row = []
        for net, criterion, step in zip(nets, (theirs, ours), steps):
            logits = [net(image) for image in images]
            loss = criterion(logits if views > 1 else logits[0], labels)
            if criterion is theirs:
                pair = [gradient(c, logits, labels) for c in (theirs, ours)]
                values = max(values, abs(pair[0][0] - pair[1][0]))
                gradients = max(gradients, (pair[0][1] - pair[1][1]).abs().max().item())
            step.zero_grad()
            loss.backward()
            step.step()
            row.append(loss.item())
        curves.append(row)
    one, two = np.array(curves).T
    return values, gradients, np.abs(one - two).max(), one[:20].mean(), one[-20:].mean(), two[-20:].mean()


failed = False
for options, ours, views in ROWS:
    for dtype, bound in ((torch.float64, 1e-6), (torch.float32, 1e-5)):
        values, gradients, curve, first, last, our_last = compare(options, ours, views, dtype)
        wrong = max(values, gradients) > bound or abs(last - our_last) > 0.02 or last > 0.95 * first
        failed = failed or wrong
        print(f"{ours.spec:14s} {str(dtype)[6:]}: loss {values:.1e}, gradient {gradients:.1e}, curves {curve:.1e}; "
              f"{first:.4f} to {last:.4f} (ours {our_last:.4f}){'; FAILED' if wrong else ''}")
sys.exit(bool(failed))
