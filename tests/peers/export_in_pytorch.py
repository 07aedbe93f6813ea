"""export_in_pytorch.py JENSEN MAKER FOLDER - exported modules of PyTorch, beside jensen.

Every network with random weights: logits of images that the module itself transforms within
1e-5 of the largest. Then trained runs: both transforms, both filters, an ensemble, on images
of many sizes; the same state_dict as the run's file; a step of training goes."""
import importlib.util
import os
import subprocess
import sys

import numpy as np
import torch
from PIL import Image

from peer_pictures import RUNS, networks, picture, predictions, save_pictures, train

jensen, maker, folder = sys.argv[1:]
torch.set_num_threads(1)
failures = 0


def within(name, got, want, bound):
    global failures
    worst = np.abs(np.asarray(got) - np.asarray(want)).max()
    if not worst <= bound:
        failures += 1
        print(f"FAILED: {name}: {worst:.3g} apart, more than {bound:.3g}")
    return worst


def load(path):
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load()


def check_networks():
    images = np.stack([picture(151, 203) for _ in range(2)])
    np.save(f"{folder}/images.npy", images)
    names, worst = networks(jensen), 0
    for name in names:
        subprocess.run([maker, "pytorch", folder, name], check=True)
        model, logits = load(f"{folder}/{name}.py"), np.load(f"{folder}/{name}.raw.npy")
        with torch.no_grad():
            got = model(torch.stack([model.transform(image) for image in images]))
        worst = max(worst, within(name, got, logits, 1e-5 * np.abs(logits).max()) / np.abs(logits).max())
        os.remove(f"{folder}/{name}.safetensors")
    print(f"{len(names)} networks: logits at most {worst:.2g} of the largest apart")


def check_runs():
    files = save_pictures(folder)
    for number, options in enumerate(RUNS):
        run = f"{folder}/run{number}"
        train(jensen, run, options)
        subprocess.run([jensen, "export", run, "--format", "pytorch", "-o", f"{run}.py"], check=True, capture_output=True)
        model, worst = load(f"{run}.py"), 0
        for file, want in zip(files, predictions(jensen, run, model.classes, files), strict=True):
            with torch.no_grad():
                got = model(model.transform(Image.open(file))[None]).softmax(1)[0]
            worst = max(worst, within(f"{options} {file}", got, want, 1e-5))
        print(f"{' '.join(options)}: {len(files)} sizes, at most {worst:.2g} apart")
    return model


def check_training(model):
    model.train()
    batch, labels = torch.randn(8, 3, 24, 24), torch.arange(8)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    before = torch.nn.functional.cross_entropy(model(batch), labels)
    before.backward()
    optimiser.step()
    within("a step of training", float(torch.nn.functional.cross_entropy(model(batch), labels) < before), 1, 0)


check_networks()
check_training(check_runs())
sys.exit(failures > 0)
