#!/usr/bin/env python3
"""How hard the built-in data set is: linear classifier, 1-nearest-neighbour on pixels, a small
CNN, and cross-entropy trained long at 40% symmetric noise.

    jensen data convert builtin out.npz ... is not needed: pass PREFIX.train and PREFIX.test,
    each all pixels (uint8 [N][32][32][3]) followed by all labels (int32 [N]).
"""
import sys, time
import numpy as np, torch
import torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0); torch.set_num_threads(2)
def load(path):
    raw = np.fromfile(path, np.uint8); n = raw.size // 3076
    return raw[:n * 3072].reshape(n, 32, 32, 3), raw[n * 3072:].view(np.int32)
x, y = load(sys.argv[1] + '.train'); xt, yt = load(sys.argv[1] + '.test')
what = sys.argv[2] if len(sys.argv) > 2 else 'all'
X = torch.tensor(x).permute(0, 3, 1, 2).float().div(255).sub(.5).div(.25); Y = torch.tensor(y).long()
T = torch.tensor(xt).permute(0, 3, 1, 2).float().div(255).sub(.5).div(.25); YT = torch.tensor(yt).long()
if what in ('all', 'simple'):
    a, b = X.flatten(1), T.flatten(1); best = 0
    for wd in (1e-3, 1e-2, 1e-1, 1):
        net = nn.Linear(3072, 10); opt = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=wd)
        for e in range(30):
            for i in torch.randperm(len(a)).split(100):
                opt.zero_grad(); F.cross_entropy(net(a[i]), Y[i]).backward(); opt.step()
            best = max(best, (net(b).argmax(1) == YT).float().mean().item())
    print(f'linear classifier, best over epochs and weight decays: {100 * best:.1f}%')
    print(f'1-nearest neighbour: {100 * (Y[torch.cdist(b, a).argmin(1)] == YT).float().mean().item():.1f}%')
def cnn(w=16):
    def block(i, o): return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
    return nn.Sequential(*block(3, w), *block(w, w), nn.MaxPool2d(2), *block(w, 2 * w), *block(2 * w, 2 * w), nn.MaxPool2d(2),
                         *block(2 * w, 4 * w), *block(4 * w, 4 * w), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * w, 10))
def train(labels, epochs, augment, lr=.1, limit=1e9, w=16):
    net = cnn(w); opt = torch.optim.SGD(net.parameters(), lr, .9, nesterov=True, weight_decay=5e-4); n = len(X)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, lr, epochs * (n // 100)) if augment else None; accs = []; t0 = time.time(); c0 = time.process_time()
    for e in range(epochs):
        net.train()
        for i in torch.randperm(n).split(100):
            b = X[i]
            if augment:
                dx, dy = np.random.randint(0, 5, 2); b = F.pad(b, (2, 2, 2, 2), mode='replicate')[:, :, dy:dy + 32, dx:dx + 32]
            opt.zero_grad(); F.cross_entropy(net(b), labels[i]).backward(); opt.step(); sched and sched.step()
        net.eval()
        with torch.no_grad(): accs.append(torch.cat([net(c).argmax(1) for c in T.split(500)]).eq(YT).float().mean().item()); print(f'  {e} {100 * accs[-1]:.1f} {time.time() - t0:.0f} s, {time.process_time() - c0:.0f} s of processor', flush=True)
        if time.time() - t0 > limit: break
    return accs, time.time() - t0
if what in ('all', 'cnn'):
    accs, t = train(Y, 12, True); print('CNN clean:', ' '.join(f'{100 * a:.1f}' for a in accs), f'in {t:.0f} s')
if what in ('all', 'noise'):
    noisy = Y.clone(); k = torch.randperm(len(Y))[:int(.4 * len(Y))]; noisy[k] = torch.randint(0, 10, (len(k),))
    accs, t = train(noisy, 40, False, .02); print('CE at 40% symmetric noise:', ' '.join(f'{100 * a:.1f}' for a in accs), f'best {100 * max(accs):.1f} last {100 * accs[-1]:.1f}')
