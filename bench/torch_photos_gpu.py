"""What PyTorch needs on a GPU for a step on photographs with GJS: the peer of
`jensen bench step --device cuda --precision bf16 --loss gjs:pi1=0.5 --network NAME --size N --batch N`.
Two views, BatchNorm statistics of each view (two passes through the network), SGD with Nesterov, bf16
by autocast, channels_last, the step in a CUDA graph, images on the device already. Medians, and the
most memory that was allocated.

  torch_photos_gpu.py [--network resnet50] [--size 224] [--batch 64] [--classes 1000] [graph] [inductor] [compiled]

`graph` is PyTorch as it is, `inductor` torch.compile() in the same graph, `compiled` the same with
mode="max-autotune-no-cudagraphs", which tries kernels for minutes.
"""
import argparse
import time

import torch
import torchvision

from torch_preactresnet34 import gjs

VIEWS = 2


def median_ms(call, repeats=30, warm=5):
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


def measure(options, how):
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    torch.cuda.reset_peak_memory_stats()
    net = torchvision.models.get_model(options.network, num_classes=options.classes).cuda()
    net = net.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(net.parameters(), 0.1, 0.9, weight_decay=1e-4, nesterov=True, fused=True)
    shape = (options.batch, 3, options.size, options.size)
    views = [torch.randn(shape, device="cuda").contiguous(memory_format=torch.channels_last)
             for _ in range(VIEWS)]
    labels = torch.randint(options.classes, (options.batch,), device="cuda")
    mode = {"inductor": "default", "compiled": "max-autotune-no-cudagraphs"}.get(how)
    forward = torch.compile(net, mode=mode) if mode else net

    def step():
        optimizer.zero_grad(set_to_none=False)
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            logits = [forward(v) for v in views]
        gjs(logits, labels).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(4):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return median_ms(graph.replay), torch.cuda.max_memory_reserved() / 2**30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default="resnet50")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("how", nargs="*", default=["graph", "compiled"])
    options = parser.parse_args()
    print("torch", torch.__version__, torch.cuda.get_device_name(), "cuDNN", torch.backends.cudnn.version())
    for how in options.how:
        begin = time.monotonic()
        ms, gib = measure(options, how)
        print(f"{options.network} {options.size} px, {VIEWS} x {options.batch}, {how}: {ms:.2f} ms a step, "
              f"{VIEWS * options.batch / ms * 1e3:.0f} images/s, {gib:.2f} GiB "
              f"(ready after {time.monotonic() - begin:.0f} s)", flush=True)


main()
