"""peer_formats.py HELPER - files of ours read by NumPy, safetensors, TensorBoard,
PyYAML, csv and json, and theirs read by us. A package that is missing is printed as
skipped; any disagreement fails."""
import csv
import json
import os
import subprocess
import sys
import tempfile

helper = sys.argv[1]
folder = tempfile.mkdtemp()
problems = 0
TEXTS = ["plain", "", "yes", "0x10", "a: b", "#c", "1:30", "~", '"q"', "l\nm", "caf\u00e9", "x,y"]


def check(what, got, want):
    global problems
    if got != want:
        problems += 1
        print(f"FAILED {what}: got {got!r}, want {want!r}")
    else:
        print(f"agrees {what}")


def package(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"SKIPPED: no Python package '{name}'")
        return None


def here(name):
    return os.path.join(folder, name)


def weighted(values):
    return sum((i + 1) * float(v) for i, v in enumerate(values))


numpy, yaml, torch = package("numpy"), package("yaml"), package("torch")
safetensors = package("safetensors")
subprocess.run([helper, "write", folder], check=True)

# ---- theirs reading ours
with open(here("ours.csv"), newline="", encoding="utf-8") as f:
    check("csv", list(csv.reader(f)), [TEXTS, TEXTS[1:] + TEXTS[:1]])
with open(here("ours.json"), encoding="utf-8") as f:
    check("json", json.load(f), {"texts": TEXTS, "third": 1 / 3})
if yaml:
    with open(here("ours.yaml"), encoding="utf-8") as f:
        check("PyYAML", yaml.safe_load(f), {"texts": TEXTS, "lr": 0.1})
if numpy:
    a = numpy.load(here("ours.npy"))
    check("NumPy", (str(a.dtype), a.tolist()), ("float32", [[1.5, -2, .25], [3, 4, 5]]))
if safetensors and torch:
    with safetensors.safe_open(here("ours.safetensors"), framework="pt") as f:
        check("safetensors metadata", f.metadata()["epoch"], "3")
        check("safetensors", {k: (str(f.get_tensor(k).dtype), f.get_tensor(k).tolist())
                              for k in sorted(f.keys())},
              {"flags": ("torch.bfloat16", [1.0, 2.0]),
               "layer.weight": ("torch.float32", [[1.5, -2, .25], [3, 4, 5]]),
               "steps": ("torch.int64", 7)})
if package("tensorboard"):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    events = EventAccumulator(here("events.out.tfevents.1.ours"))
    events.Reload()
    check("TensorBoard", [(e.step, e.wall_time, e.value) for e in events.Scalars("train/loss")],
          [(s, 1000.5 + s, s * .5 + (6 if s >= 6 else 0)) for s in range(10)])

# ---- ours reading theirs
if numpy and safetensors and torch and yaml:
    import safetensors.torch
    array = numpy.asfortranarray(numpy.arange(24).reshape(2, 3, 4).astype(">i2"))
    numpy.save(here("theirs.npy"), array)
    tensors = {"w": torch.arange(6, dtype=torch.float32).reshape(2, 3), "n": torch.tensor(5),
               "h": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
               "b": torch.tensor([True, False, True])}
    safetensors.torch.save_file(tensors, here("theirs.safetensors"), metadata={"format": "pt"})
    with open(here("theirs.csv"), "w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows([[f"c{i}" for i in range(len(TEXTS))], TEXTS])
    tree = {"texts": TEXTS, "third": 1 / 3, "deep": [[{"a": None, "b": True}], -7]}
    with open(here("theirs.json"), "w", encoding="utf-8") as f:
        json.dump(tree, f)
    with open(here("theirs.yaml"), "w", encoding="utf-8") as f:
        yaml.safe_dump(tree, f, allow_unicode=True)
    read = json.loads(subprocess.run([helper, "read", folder], check=True,
                                     stdout=subprocess.PIPE).stdout)
    check("our .npy", read["npy"], {"dtype": "int16", "shape": [2, 3, 4],
                                    "weighted": weighted(range(24))})
    names = {torch.float32: "float32", torch.int64: "int64", torch.bfloat16: "bfloat16",
             torch.bool: "bool"}
    check("our safetensors", read["safetensors"],
          {k: {"dtype": names[t.dtype], "shape": list(t.shape),
               "weighted": weighted(t.reshape(-1).tolist())} for k, t in tensors.items()})
    check("our csv", read["csv"], TEXTS)
    check("our json", read["json"], tree)
    if "yaml" in read:
        check("our YAML", read["yaml"], tree)
else:
    print("SKIPPED: reading their files needs numpy, torch, safetensors and yaml")
print(f"{problems} problems")
sys.exit(problems != 0)
