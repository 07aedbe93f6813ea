"""onnx_runtime.py JENSEN MAKER FOLDER - exported models in ONNX Runtime, beside jensen.

Every network with random weights: logits of a normalised batch within 1e-5 of the largest,
probabilities of images within 1e-5. Then trained runs: both transforms, both filters, an
ensemble, on images of many sizes, odd and small ones, each alone."""
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from PIL import Image

from peer_pictures import RUNS, networks, picture, predictions, save_pictures, train

jensen, maker, folder = sys.argv[1:]
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def session(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    return run_time(path)


def run_time(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options)


def within(name, got, want, bound):
    worst = np.abs(got - want).max()
    if not worst <= bound:
        fail(f"{name}: {worst:.3g} apart, more than {bound:.3g}")
    return worst


def check_networks():
    names = networks(jensen)
    images = np.stack([picture(151, 203) for _ in range(2)])
    np.save(f"{folder}/images.npy", images)
    worst = 0
    for name in names:
        subprocess.run([maker, "onnx", folder, name], check=True)
        base = f"{folder}/{name}"
        model = session(f"{base}.onnx")
        got = model.run(None, {"image": images})[0]
        worst = max(worst, within(name, got, np.load(f"{base}.npy"), 1e-5))
        raw, logits = session(f"{base}.raw.onnx"), np.load(f"{base}.raw.npy")
        # The batch that the whole model makes of the images is what the raw one wants.
        inner = onnx.load(f"{base}.onnx")
        inner.graph.output.append(onnx.helper.make_tensor_value_info("input", 1, None))
        batch = run_time(inner.SerializeToString()).run(["input"], {"image": images})[0]
        within(f"{name} --raw", raw.run(None, {"input": batch})[0], logits,
               1e-5 * np.abs(logits).max())
        for end in (".onnx", ".raw.onnx"):
            os.remove(base + end)
    print(f"{len(names)} networks: probabilities at most {worst:.2g} apart")


def check_runs():
    files = save_pictures(folder)
    for number, options in enumerate(RUNS):
        run = f"{folder}/run{number}"
        train(jensen, run, options)
        subprocess.run([jensen, "export", run, "-o", f"{run}.onnx"], check=True, capture_output=True)
        model = session(f"{run}.onnx")
        classes = json.loads(model.get_modelmeta().custom_metadata_map["classes"])
        worst = 0
        for file, want in zip(files, predictions(jensen, run, classes, files), strict=True):
            got = model.run(None, {"image": np.asarray(Image.open(file))[None]})[0][0]
            worst = max(worst, within(f"{options} {file}", got, want, 1e-5))
        print(f"{' '.join(options)}: {len(files)} sizes, at most {worst:.2g} apart")


def check_option():
    """jensen export --check finds what we find, with the library of the wheel."""
    library = glob.glob(f"{os.path.dirname(onnxruntime.__file__)}/capi/libonnxruntime.so*")
    if not library:
        print("SKIPPED: --check: the wheel has no libonnxruntime.so")
        return
    capi = os.path.dirname(library[0])
    environment = re.sub(r"/lib/python3[^/]*/site-packages/.*", "", capi)
    ways = [({"JENSEN_ONNXRUNTIME": library[0]}, []), ({"JENSEN_ONNXRUNTIME": library[0]}, ["--raw"]),
            ({"VIRTUAL_ENV": environment}, [])]
    for named, options in ways:
        said = subprocess.run([jensen, "export", f"{folder}/run2", "-o", f"{folder}/checked.onnx", "--check",
                               f"{folder}/pictures", *options], capture_output=True, text=True,
                              env={**os.environ, **named})
        found = re.search(r"(\d+) images in ONNX Runtime ([\d.]+): (\S+) at most (\S+) apart", said.stdout)
        what = "logits" if options else "probabilities"
        bound = 1e-4 if options else 1e-6
        if not found or int(found[1]) != 9 or found[2] != onnxruntime.__version__ or found[3] != what or \
                not float(found[4]) < bound:
            fail(f"--check {options}: {said.stdout} {said.stderr}")
        else:
            print("--check:", *options, found[0])


def check_foreign():
    """A model of somebody else, whose outputs are shorter than ours, is refused before they are read."""
    library, ours = glob.glob(f"{os.path.dirname(onnxruntime.__file__)}/capi/libonnxruntime.so*"), \
        os.path.join(os.path.dirname(jensen), "libjensen.so")
    if not library or not os.path.exists(ours):
        return
    two = onnx.helper.make_tensor("two", onnx.TensorProto.FLOAT, [1, 2], [0.5, 0.5])
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Constant", [], ["probabilities"], value=two)], "foreign",
        [onnx.helper.make_tensor_value_info("image", onnx.TensorProto.UINT8, ["n", "h", "w", 3])],
        [onnx.helper.make_tensor_value_info("probabilities", onnx.TensorProto.FLOAT, [1, 2])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, f"{folder}/foreign.onnx")
    os.environ["JENSEN_ONNXRUNTIME"] = library[0]
    lib, classifier, found = ctypes.CDLL(ours), ctypes.c_void_p(), ctypes.create_string_buffer(1 << 16)
    lib.jsn_last_error.restype = ctypes.c_char_p
    opened = lib.jsn_classifier_open(ctypes.byref(classifier), f"{folder}/run2".encode(), b"cpu", ctypes.c_size_t(1))
    status = lib.jsn_export_check(classifier, f"{folder}/foreign.onnx".encode(), f"{folder}/pictures".encode(), found)
    said = lib.jsn_last_error().decode()
    if opened != 0 or status == 0 or "it is no model of this run" not in said:
        fail(f"a foreign model: {opened} {status} {said}")
    else:
        print("a foreign model:", said)


check_networks()
check_runs()
check_option()
check_foreign()
sys.exit(failures > 0)
