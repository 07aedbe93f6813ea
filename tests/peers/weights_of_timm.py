"""weights_of_timm.py JENSEN FOLDER - networks of timm with random weights, as .pth files: `jensen weights import` finds
the network, and its logits are those of timm, within 1e-5 of the largest."""
import json
import os
import subprocess
import sys

import numpy as np
import timm
import torch

NAMES = {"tf_efficientnet_lite0": "efficientnet-lite0", "tf_efficientnet_lite2": "efficientnet-lite2",
         "mobilenetv2_100": "mobilenetv2", "resnet18": "resnet18", "resnet50": "resnet50"}
jensen, folder = sys.argv[1:]
torch.manual_seed(1)
torch.set_num_threads(1)
failures = 0


def run(*arguments):
    done = subprocess.run([jensen, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {arguments}: {done.stderr}")
    return done.stdout


for name, network in NAMES.items():
    model = timm.create_model(name, pretrained=False).eval()
    for key, value in model.state_dict().items():
        if key.endswith("running_mean"):
            value.normal_(0, 0.1)
        elif key.endswith("running_var"):
            value.uniform_(0.5, 1.5)
    torch.save(model.state_dict(), f"{folder}/{name}.pth")
    found = json.loads(run("weights", "import", f"{folder}/{name}.pth", "--as", name, "--json"))
    images = torch.randn(2, 3, found["image_size"], found["image_size"])
    np.save(f"{folder}/images.npy", images.numpy())
    run("predict", "--network", found["network"], "--classes", "1000", "--array", f"{folder}/images.npy",
        "--init", f"{os.environ['JENSEN_CACHE']}/weights/{name}/model.safetensors", "--logits", f"{folder}/logits.npy")
    with torch.no_grad():
        want = model(images).numpy()
    apart = np.abs(np.load(f"{folder}/logits.npy") - want).max() / np.abs(want).max()
    failures += found["network"] != network or not apart <= 1e-5
    print(f"{'FAILED: ' if found['network'] != network or not apart <= 1e-5 else ''}{name}: {found['network']}, "
          f"logits {apart:.2g} of the largest apart")
sys.exit(failures > 0)
