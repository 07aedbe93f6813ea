#!/usr/bin/env python3
r"""gpu_python.py WHEEL - the Python package on a machine with an NVIDIA GPU: its tests, its speed beside
PyTorch's, and where the time of a small call goes. Needs a copy of this tree, and a Python of 3.11 or newer
with PyTorch and NumPy; nothing is installed, the wheel is unpacked into a folder that goes away. Where there
is no pytest the tests run without it.

    python3 -m pip wheel . --no-deps -w build/wheel --config-settings=cmake.define.JSN_MINIMAL=ON \
        --config-settings=cmake.define.JSN_CUDA=ON
    python3 scripts/gpu_python.py build/wheel/jensen-*.whl

A wheel without the CUDA module needs JENSEN_CUDA_MODULE, the path of a libjensen_cuda.so of the same source.
`--only tests`, `speed` or `where` is one part. The exit status counts the parts that failed: speed fails where
a ratio misses its limit."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# (ratio, shape): the least or the most it may be
LEAST = {("eager / gjs", (128, 10)): 4.0, ("eager / gjs", (65536, 1000)): 5.0}
MOST = {("ce / F.cross_entropy", shape): 1.5 for shape in ((128, 10), (1024, 1000), (65536, 10), (65536, 1000))}


def run_tests():
    """python/tests/test_gpu.py."""
    try:
        import pytest
    except ImportError:
        return without_pytest()
    return int(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", str(ROOT / "python/tests/test_gpu.py")]))


def without_pytest():
    sys.path.insert(0, str(ROOT / "python/tests"))
    import plain

    return plain.run(ROOT / "python/tests/test_gpu.py")


def run_speed():
    """The table of docs/python.md, and its ratios beside their limits."""
    import python_loss_gpu

    missed = 0
    for shape, us in python_loss_gpu.rounds():
        for ours, theirs in (("eager", "gjs"), ("compiled", "gjs"), ("ce", "F.cross_entropy")):
            name = f"{ours} / {theirs}"
            ratio, least, most = us[ours] / us[theirs], LEAST.get((name, shape)), MOST.get((name, shape))
            holds = (least is None or ratio >= least) and (most is None or ratio <= most)
            missed += not holds
            limit = f"at least {least:g}" if least else f"at most {most:g}" if most else "no limit"
            print(f"    {name} {ratio:.2f} ({limit}{'' if holds else ': MISSED'})", flush=True)
    return missed


def host_and_device(step, calls=200):
    """Microseconds of a call until it returns, and until the GPU is done, each a call of many."""
    import torch

    for _ in range(20):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        step()
    returned = time.perf_counter()
    torch.cuda.synchronize()
    return (returned - start) / calls * 1e6, (time.perf_counter() - start) / calls * 1e6


def busy(step, calls=50):
    """By name of kernel or copy: microseconds of the GPU and number, a call."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    for _ in range(5):
        step()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as found:
        for _ in range(calls):
            step()
        torch.cuda.synchronize()
    rows = {}
    for event in found.events():
        if "CUDA" in str(event.device_type):
            total, count = rows.get(event.name, (0.0, 0))
            rows[event.name] = total + event.time_range.elapsed_us(), count + 1
    return {name: (total / calls, count / calls) for name, (total, count) in rows.items()}


def short(name):
    """A kernel's name without its namespaces and most of its types."""
    return name.replace("at::native::", "").replace("(anonymous namespace)::", "").replace("void ", "")[:90]


def run_where():
    """Where the time of CE and GJS goes: in Python and the driver, and in each kernel."""
    from python_loss import steps_of

    for samples, classes in ((128, 10), (65536, 10), (65536, 1000)):
        steps = steps_of(samples, classes, "cuda")
        for name in ("ce", "F.cross_entropy", "gjs", "empty"):
            returned, done = host_and_device(steps[name])
            print(f"{samples} x {classes} {name}: returns after {returned:.1f} us, done after {done:.1f} us a call")
            for kernel, (us, count) in sorted(busy(steps[name]).items(), key=lambda row: -row[1][0]):
                print(f"    {us:8.1f} us in {count:4.1f} x {short(kernel)}", flush=True)
    return 0


PARTS = {"tests": run_tests, "speed": run_speed, "where": run_where}


def inside():
    """In the process that finds the wheel's package before any other."""
    sys.path.insert(0, str(ROOT / "bench"))
    import torch

    import jensen

    print(f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}, jensen {jensen.__version__} in "
          f"{pathlib.Path(jensen.__file__).parent}")
    if not torch.cuda.is_available():
        sys.exit("gpu_python.py: PyTorch sees no GPU")
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}", flush=True)
    failed = PARTS[sys.argv[2]]()
    print(f"-- {sys.argv[2]}: {'passed' if not failed else f'{failed} failed'}", flush=True)
    sys.exit(bool(failed))


def unpacked(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    if not list(pathlib.Path(folder, "jensen").glob("libjensen_cuda*")) and not os.environ.get("JENSEN_CUDA_MODULE"):
        sys.exit(f"gpu_python.py: {wheel} has no CUDA module (cmake.define.JSN_CUDA=ON), and JENSEN_CUDA_MODULE "
                 "names none")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("wheel")
    options.add_argument("--only", choices=list(PARTS), action="append")
    options = options.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        unpacked(options.wheel, folder)
        path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
        environment = dict(os.environ, PYTHONPATH=path, PYTHONUNBUFFERED="1")
        for part in options.only or PARTS:
            print(f"== {part}", flush=True)
            failed += subprocess.run([sys.executable, os.path.abspath(__file__), "inside", part], cwd=folder,
                                     env=environment, check=False).returncode != 0
    print(f"{failed} failed")
    return failed


if __name__ == "__main__":
    inside() if sys.argv[1:2] == ["inside"] else sys.exit(main())
