#!/usr/bin/env python3
"""How hard the built-in data set is for methods that do not see shapes: 1-nearest-neighbour on
pixels and linear classifiers (ridge regression on one-hot labels; softmax regression), each with
the strength of its penalty chosen on the test set, which flatters them. Needs NumPy.

    jensen data convert builtin --out DIR --format ppm && bench/builtin_difficulty.py DIR
"""
import os, sys
import numpy as np


def load(folder):
    x, y = [], []
    for k, name in enumerate(sorted(os.listdir(folder))):
        for file in sorted(os.listdir(os.path.join(folder, name))):
            raw = open(os.path.join(folder, name, file), "rb").read()
            x.append(np.frombuffer(raw[-3072:], np.uint8)); y.append(k)
    return np.stack(x).astype(np.float32) / 127.5 - 1, np.array(y)


x, y = load(sys.argv[1] + "/train")
t, u = load(sys.argv[1] + "/test")
print(f"{len(x)} training, {len(t)} test images")
nearest = ((t ** 2).sum(1)[:, None] - 2 * t @ x.T + (x ** 2).sum(1)).argmin(1)
print(f"1-nearest neighbour: {100 * (y[nearest] == u).mean():.1f}%")
a = np.hstack([x, np.ones((len(x), 1), np.float32)]); b = np.hstack([t, np.ones((len(t), 1), np.float32)])
hot = np.eye(10, dtype=np.float32)[y]
gram, right = a.T @ a, a.T @ hot
best = max((b @ np.linalg.solve(gram + l * np.eye(len(gram), dtype=np.float32), right)).argmax(1).__eq__(u).mean()
           for l in (1e1, 1e2, 1e3, 1e4, 1e5))
print(f"linear, ridge regression: {100 * best:.1f}%")
best = 0
for penalty in (1e-4, 1e-3, 1e-2):
    w = np.zeros((a.shape[1], 10), np.float32); v = np.zeros_like(w); rng = np.random.default_rng(0)
    for epoch in range(30):
        for i in np.array_split(rng.permutation(len(a)), 50):
            z = a[i] @ w; p = np.exp(z - z.max(1, keepdims=True)); p /= p.sum(1, keepdims=True)
            v = .9 * v - 1e-3 * (a[i].T @ (p - hot[i]) / len(i) + penalty * w); w += v
        best = max(best, ((b @ w).argmax(1) == u).mean())
print(f"linear, softmax regression, best epoch: {100 * best:.1f}%")
