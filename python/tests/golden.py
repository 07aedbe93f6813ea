"""The golden vectors of tests/golden, and the spec of each of their losses."""
import json
import os
import struct

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "golden")
_TYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "U8": np.uint8}
_NAMES = {"mae_half": "mae:half=1", "gjs_nocons": "gjs-nocons", "gjs_consistency": "gjs-consistency",
          "ls_ce": "ls", "ls_kl": "ls:kl=1", "bootstrap": "bs", "nce_rce": "nce+rce", "kl_rev": "kl-rev",
          "k_rev": "k-rev"}


def tensors(name):
    """All tensors of a safetensors file."""
    with open(os.path.join(FOLDER, name), "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    return {key: np.frombuffer(data[row["data_offsets"][0]:row["data_offsets"][1]],
                               _TYPES[row["dtype"]]).reshape(row["shape"])
            for key, row in header.items() if key != "__metadata__"}


def manifest(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def spec_of(case):
    params, parts = case["params"], []
    if "weights" in params:
        parts.append("pi=" + "/".join(repr(w) for w in params["weights"]))
    elif "pi1" in params:
        parts.append(f"pi1={params['pi1']!r}")
    if "scaled" in params:
        parts.append(f"scale={int(params['scaled'])}")
    if "t" in params:  # the manifest's t weighs the prediction
        ls = case["loss"].startswith("ls")
        parts.append(f"epsilon={params['t']!r}" if ls else f"beta={1.0 - params['t']!r}")
    parts += [f"{key}={params[key]!r}" for key in ("alpha", "beta", "q") if key in params]
    start = _NAMES.get(case["loss"], case["loss"])
    return start + ("," if ":" in start else ":") * bool(parts) + ",".join(parts)
