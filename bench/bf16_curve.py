"""Loss curves of PreActResNet-34 (GJS, two views) from the same weights on the same
batches: jensen in bf16 beside PyTorch in bf16 several times and in fp32.

  bf16_curve.py BENCH_CURVE [--device cuda] [--precision bf16] [--steps 200] [--batch 128]
                [--runs 8] [--folder DIR]

Rounding makes curves drift apart, so PyTorch's bf16 curve is a bundle: run 0 from the
weights as they are, the others from weights changed by 1e-6 of themselves, in channels_last
and contiguous layout in turn. jensen passes when its smoothed curve is no farther from the
bundle's mean than 1.5 times the farthest of the bundle's own curves is from the mean of the
others (largest distance over all steps; for jensen in fp32 that bundle is the yardstick too).
"""
import argparse, json, os, subprocess, sys, tempfile, time

import numpy as np
import torch
import torch.nn.functional as F

from torch_preactresnet34 import PreActResNet34, gjs, read_safetensors

WINDOW = 20


def make_data(folder, steps, batch):
    """Ten classes of smooth patterns, shifted and noisy, 40% of the labels wrong."""
    rng = np.random.default_rng(1)
    count = 4096
    true = rng.integers(0, 10, count)
    coarse = rng.normal(size=(10, 6, 6, 3))
    pattern = np.repeat(np.repeat(coarse, 6, 1), 6, 2)[:, :32, :32]
    images = np.empty((count, 32, 32, 3), np.uint8)
    for i in range(count):
        shifted = np.roll(pattern[true[i]], tuple(rng.integers(0, 32, 2)), (0, 1))
        noisy = 128 + 30 * shifted + 50 * rng.normal(size=shifted.shape)
        images[i] = np.clip(noisy, 0, 255).astype(np.uint8)
    labels = np.where(rng.random(count) < 0.4, rng.integers(0, 10, count), true).astype(np.int32)
    per_epoch = count // batch
    epochs = -(-steps // per_epoch)
    order = np.concatenate([rng.permutation(count)[:per_epoch * batch] for _ in range(epochs)])
    order = order.reshape(-1, batch)[:steps].astype(np.int32)
    images.tofile(os.path.join(folder, "images.u8"))
    labels.tofile(os.path.join(folder, "labels.i32"))
    order.tofile(os.path.join(folder, "order.i32"))
    with open(os.path.join(folder, "shape.txt"), "w") as f:
        f.write(f"{count} {batch}\n")
    return images, labels, order


def torch_curve(weights, data, device, half, seed, channels_last):
    images, labels, order = data
    net = PreActResNet34(10)
    state = dict(weights)
    generator = torch.Generator().manual_seed(seed)
    for name, t in weights.items():
        if seed and "running" not in name:
            state[name] = t * (1 + 1e-6 * torch.randn(t.shape, generator=generator))
    missing, extra = net.load_state_dict(state, strict=False)
    missing = [n for n in missing if not n.endswith("num_batches_tracked")]
    if missing or extra:
        sys.exit(f"bf16_curve: weights do not fit: missing {missing[:4]}, extra {extra[:4]}")
    form = torch.channels_last if channels_last else torch.contiguous_format
    net = net.to(device).to(memory_format=form).train()
    optimiser = torch.optim.SGD(net.parameters(), 0.1, 0.9, weight_decay=5e-4, nesterov=True)
    x = torch.from_numpy(images).to(device)
    y = torch.from_numpy(labels).long().to(device)
    losses = []
    for row in torch.from_numpy(order).long().to(device):
        one = ((x[row].permute(0, 3, 1, 2).float() / 255 - 0.5) / 0.25).contiguous(memory_format=form)
        views = [one, one.flip(3).contiguous(memory_format=form)]
        optimiser.zero_grad()
        with torch.autocast(device, torch.bfloat16, enabled=half):
            logits = [net(v) for v in views]
        loss = gjs(logits, y[row])
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses).double().cpu().numpy()


def jensen_curve(program, folder, device, precision, steps):
    out = subprocess.run([program, folder, device, precision, str(steps)], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return np.array([float(line) for line in out.split()])


def smooth(curve):
    window = min(WINDOW, len(curve))
    return np.convolve(curve, np.ones(window) / window, "valid")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--device", default="cuda", help="of jensen")
    parser.add_argument("--torch-device", default=None)
    parser.add_argument("--precision", default="bf16", help="of jensen")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--folder", default=None)
    a = parser.parse_args()
    device = a.torch_device or ("cuda" if a.device.startswith("cuda") else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = a.folder or temporary
        os.makedirs(folder, exist_ok=True)
        data = make_data(folder, a.steps, a.batch)
        subprocess.run([a.program, "init", folder], check=True)
        weights = read_safetensors(os.path.join(folder, "init.safetensors"))
        start = time.time()
        ours = jensen_curve(a.program, folder, a.device, a.precision, a.steps)
        print(f"jensen {a.precision} on {a.device}: {time.time() - start:.1f} s", flush=True)
        start = time.time()
        exact = torch_curve(weights, data, device, False, 0, False)
        bundle = np.array([torch_curve(weights, data, device, True, run, run % 2 == 0)
                           for run in range(a.runs)])
        print(f"PyTorch {torch.__version__} on {device}: {time.time() - start:.1f} s", flush=True)
    report(a, ours, exact, bundle)


def report(a, ours, exact, bundle):
    mean, low, high = bundle.mean(0), bundle.min(0), bundle.max(0)
    print("step  jensen    PyTorch bf16: mean, least, most     PyTorch fp32")
    shown = sorted({0, 1, 2, 4, 9} | set(range(19, a.steps, 20)))
    for i in [i for i in shown if i < a.steps]:
        print(f"{i + 1:4d}  {ours[i]:.5f}   {mean[i]:.5f}  {low[i]:.5f}  {high[i]:.5f}"
              f"             {exact[i]:.5f}")
    smoothed = np.array([smooth(c) for c in bundle])
    mine, centre = smooth(ours), smoothed.mean(0)
    far = np.abs(mine - centre).max()
    own = [np.abs(c - (smoothed.sum(0) - c) / (len(smoothed) - 1)).max() for c in smoothed]
    inside = np.mean((mine >= smoothed.min(0)) & (mine <= smoothed.max(0)))
    result = {"precision": a.precision, "steps": a.steps, "batch": a.batch, "runs": a.runs,
              "first_loss": ours[0], "first_loss_torch": mean[0], "last_smoothed": mine[-1],
              "last_smoothed_torch": centre[-1], "last_smoothed_torch_fp32": smooth(exact)[-1],
              "farthest": far, "farthest_of_torch": max(own), "nearest_of_torch": min(own),
              "share_of_steps_inside": inside,
              "within": bool(np.isfinite(far) and far <= 1.5 * max(own))}
    print(json.dumps({k: round(v, 6) if isinstance(v, float) else v for k, v in result.items()}))
    sys.exit(0 if result["within"] else 1)


main()
