"""What PyTorch needs on a GPU for a step of PreActResNet-34 with GJS: batch 128, two views,
BatchNorm statistics of each view (two passes through the network), SGD with Nesterov, the step
in a CUDA graph, images on the device already. Then the loss alone. Medians.

  torch_step_gpu.py [bf16] [compiled] [tf32] [fp32] [loss]     (all without a name)
"""
import sys

import torch

from torch_preactresnet34 import PreActResNet34, gjs

BATCH, VIEWS, CLASSES = 128, 2, 10


def median_ms(call, repeats=30, warm=10):
    times = []
    for i in range(warm + repeats):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        if i >= warm:
            times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def step_ms(bf16, tf32, channels_last, compiled):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.manual_seed(0)
    layout = torch.channels_last if channels_last else torch.contiguous_format
    net = PreActResNet34(CLASSES).cuda().to(memory_format=layout)
    optimizer = torch.optim.SGD(net.parameters(), 0.1, 0.9, weight_decay=5e-4, nesterov=True, fused=True)
    views = [torch.randn(BATCH, 3, 32, 32, device="cuda").contiguous(memory_format=layout)
             for _ in range(VIEWS)]
    labels = torch.randint(CLASSES, (BATCH,), device="cuda")
    forward = torch.compile(net) if compiled else net

    def step():
        optimizer.zero_grad(set_to_none=False)
        with torch.autocast("cuda", torch.bfloat16, enabled=bf16):
            logits = [forward(v) for v in views]
        gjs(logits, labels).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return median_ms(graph.replay)


def show(name, **how):
    times = {layout: step_ms(channels_last=layout == "NHWC", **how) for layout in ("NHWC", "NCHW")}
    layout = min(times, key=times.get)
    print(f"{name:18s} {times[layout]:8.3f} ms a step  {BATCH * VIEWS / times[layout] * 1e3:8.0f} images/s  "
          f"({layout}; the other layout {max(times.values()):.3f} ms)", flush=True)


def show_loss(rows, classes):
    labels = torch.randint(classes, (rows,), device="cuda")
    logits = [torch.randn(rows, classes, device="cuda", requires_grad=True) for _ in range(VIEWS)]

    def run(loss):
        for v in logits:
            v.grad = None
        loss(logits, labels).backward()

    compiled = torch.compile(gjs)
    eager, fused = median_ms(lambda: run(gjs)), median_ms(lambda: run(compiled))
    print(f"GJS {rows} x {classes}, forward and backward: {eager * 1e3:.1f} us, compiled {fused * 1e3:.1f} us",
          flush=True)


def main():
    wanted = sys.argv[1:] or ["bf16", "compiled", "tf32", "fp32", "loss"]
    print("torch", torch.__version__, torch.cuda.get_device_name(), "cuDNN", torch.backends.cudnn.version())
    cases = {"bf16": dict(bf16=True, tf32=True, compiled=False),
             "compiled": dict(bf16=True, tf32=True, compiled=True),
             "tf32": dict(bf16=False, tf32=True, compiled=False),
             "fp32": dict(bf16=False, tf32=False, compiled=False)}
    for name in wanted:
        if name == "loss":
            show_loss(128, 10)
            show_loss(65536, 1000)
        else:
            show("bf16 compiled" if name == "compiled" else name, **cases[name])


main()
