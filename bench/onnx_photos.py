"""onnx_photos.py FOLDER - FOLDER/raw.onnx in ONNX Runtime beside FOLDER/logits.npy, which jensen made of FOLDER/some."""
import glob
import sys

import numpy as np
import onnx
import onnxruntime
from PIL import Image

folder = sys.argv[1]
whole = onnx.load(f"{folder}/whole.onnx")
whole.graph.output.append(onnx.helper.make_tensor_value_info("input", 1, None))
prepare = onnxruntime.InferenceSession(whole.SerializeToString())
raw = onnxruntime.InferenceSession(f"{folder}/raw.onnx")
logits = np.load(f"{folder}/logits.npy")
apart = []
for file, want in zip(sorted(glob.glob(f"{folder}/some/*")), logits, strict=True):
    pixels = np.asarray(Image.open(file).convert("RGB"))[None]
    batch = prepare.run(["input"], {"image": pixels})[0]
    apart.append(np.abs(raw.run(None, {"input": batch})[0][0] - want).max() / np.abs(want).max())
print(f"{len(apart)} images with --raw: logits at most {max(apart):.2g} of the largest apart")
