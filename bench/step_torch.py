"""A training step in PyTorch (channels_last, SGD with Nesterov momentum), and the
comparison with `jensen bench step`; bench/step.sh says how to call it.

  step_torch.py compare JENSEN ROUNDS PARTS PYTHON...
  step_torch.py run preactresnet34|resnet50 ce|gjs STEPS     (OMP_NUM_THREADS)
"""
import json, math, os, resource, statistics, subprocess, sys, time

# network, loss, batch, what the table says
CASES = {"gjs": ("preactresnet34", "gjs", 128, "PreActResNet-34, GJS, 2 x 128 images"),
         "ce": ("preactresnet34", "ce", 128, "PreActResNet-34, CE, 128 images"),
         "resnet50": ("resnet50", "ce", 16, "ResNet-50, CE, 16 images of 224x224")}
COLUMNS = ("median_seconds", "processor_seconds", "peak_mib", "start_seconds")


def network(name):
    import torch.nn as nn
    import torch.nn.functional as F

    class Block(nn.Module):
        def __init__(s, ci, co, st):
            super().__init__()
            s.b1, s.c1 = nn.BatchNorm2d(ci), nn.Conv2d(ci, co, 3, st, 1, bias=False)
            s.b2, s.c2 = nn.BatchNorm2d(co), nn.Conv2d(co, co, 3, 1, 1, bias=False)
            s.sc = nn.Conv2d(ci, co, 1, st, bias=False) if st != 1 or ci != co else None

        def forward(s, x):
            y = F.relu(s.b1(x), inplace=True)
            skip = x if s.sc is None else s.sc(y)
            y = s.c2(F.relu(s.b2(s.c1(y)), inplace=True))
            y += skip
            return y

    class Bottleneck(nn.Module):
        def __init__(s, ci, m, st):
            super().__init__()
            co = 4 * m
            s.c1, s.b1 = nn.Conv2d(ci, m, 1, bias=False), nn.BatchNorm2d(m)
            s.c2, s.b2 = nn.Conv2d(m, m, 3, st, 1, bias=False), nn.BatchNorm2d(m)
            s.c3, s.b3 = nn.Conv2d(m, co, 1, bias=False), nn.BatchNorm2d(co)
            s.sc = None
            if st != 1 or ci != co:
                s.sc = nn.Sequential(nn.Conv2d(ci, co, 1, st, bias=False), nn.BatchNorm2d(co))

        def forward(s, x):
            y = F.relu(s.b1(s.c1(x)), inplace=True)
            y = F.relu(s.b2(s.c2(y)), inplace=True)
            y = s.b3(s.c3(y))
            y += x if s.sc is None else s.sc(x)
            return F.relu(y, inplace=True)

    if name == "preactresnet34":
        layers, ci = [nn.Conv2d(3, 32, 3, 1, 1, bias=False)], 32
        for stage, c in enumerate((32, 64, 128)):
            for b in range(5):
                layers.append(Block(ci, c, 2 if b == 0 and stage else 1))
                ci = c
        layers += [nn.BatchNorm2d(ci), nn.ReLU(True)]
    else:
        layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True),
                  nn.MaxPool2d(3, 2, 1)]
        ci = 64
        for stage, (m, n) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
            for b in range(n):
                layers.append(Bottleneck(ci, m, 2 if b == 0 and stage else 1))
                ci = 4 * m
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ci, 10))


def run(name, loss_name, steps):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(1)
    fmt = torch.channels_last
    batch, size = (128, 32) if name == "preactresnet34" else (16, 224)
    net = network(name).to(memory_format=fmt).train()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, nesterov=True, weight_decay=5e-4)
    views = [torch.randn(batch, 3, size, size).contiguous(memory_format=fmt)
             for _ in range(2 if loss_name == "gjs" else 1)]
    labels = torch.randint(0, 10, (batch,))

    def gjs(outputs):
        ps = [F.one_hot(labels, 10).float()] + [F.softmax(o, 1) for o in outputs]
        w = (0.5, 0.25, 0.25)
        m = sum(a * p for a, p in zip(w, ps)).clamp(1e-7, 1).log()
        return sum(a * F.kl_div(m, p, reduction="batchmean") for a, p in zip(w, ps)) / (0.5 * math.log(2))

    times = []
    for i in range(steps + 1):
        if i == 1:
            first, processor = time.monotonic(), time.process_time()
        start = time.monotonic()
        out = [net(v) for v in views]
        loss = gjs(out) if loss_name == "gjs" else F.cross_entropy(out[0], labels)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        times.append(time.monotonic() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"median_seconds": statistics.median(times[1:]), "peak_mib": peak,
                      "processor_seconds": (time.process_time() - processor) / steps,
                      "first_step_clock": first}))


def measure(command, env):
    """One process: its medians, its peak memory, and the seconds from its start to the
    end of its first step, by the clock that all processes share."""
    start = time.monotonic()
    text = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
    got = json.loads(text.splitlines()[-1])
    got["start_seconds"] = got["first_step_clock"] - start
    return [got[column] for column in COLUMNS]


def version(python):
    code = "import torch; print(torch.__version__.split('+')[0])"
    return "PyTorch " + subprocess.run([python, "-c", code], check=True, capture_output=True,
                                       text=True).stdout.strip()


def row(name, who, values):
    print(f"| {name} | {who} | " + " | ".join(values) + " |", flush=True)


def compare_case(title, threads, commands, rounds):
    """Alternated rounds; prints the rows of one case. The peer is the faster PyTorch."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads))
    got = {who: [] for who in commands}
    for _ in range(rounds):
        for who, command in commands.items():
            got[who].append(measure(command, env))
    mid = {who: [statistics.median(column) for column in zip(*rows)] for who, rows in got.items()}
    name = f"{title}, {threads} thread{'s' if threads > 1 else ''}"
    for who, (seconds, processor, mib, start) in mid.items():
        row(name, who, (f"{seconds:.3f}", f"{processor:.3f}", f"{mib:.0f}", f"{start:.2f}"))
    peer = min((who for who in mid if who != "jensen"), key=lambda who: mid[who][0])
    ratios = [a / b for a, b in zip(mid["jensen"], mid[peer])]
    row(name, f"**jensen / {peer}**", [f"**{ratio:.2f}**" for ratio in ratios])


def compare(jensen, rounds, parts, pythons, steps=4):
    peers = {version(python): python for python in pythons}
    print("| case | program | s a step | processor s a step | peak MiB | first step after s |")
    print("|---|---|---|---|---|---|")
    for part in parts:
        case, threads = part.rsplit("-", 1)
        name, loss, batch, title = CASES[case]
        spec = "gjs:pi1=0.5" if loss == "gjs" else loss
        commands = {"jensen": [jensen, "bench", "step", "--network", name, "--loss", spec, "--batch", str(batch),
                               "--threads", threads, "--device", "cpu", "--steps", str(steps), "--json"]}
        for who, python in peers.items():
            commands[who] = [python, __file__, "run", name, loss, str(steps)]
        compare_case(title, int(threads), commands, rounds)


if __name__ == "__main__":
    if len(sys.argv) > 5 and sys.argv[1] == "compare":
        compare(sys.argv[2], int(sys.argv[3]), sys.argv[4].split(), sys.argv[5:])
    elif len(sys.argv) == 5 and sys.argv[1] == "run":
        run(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        sys.exit(__doc__)
