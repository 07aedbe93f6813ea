#!/usr/bin/env python3
"""pth_to_safetensors.py IN.pth OUT.safetensors - weights of PyTorch as safetensors.

Loads with weights_only=True (PyTorch 1.13 or newer), so that nothing inside the file is
executed. Takes a state dictionary, or the first one found under state_dict, model or net;
drops the prefix "module." of data-parallel models. Needs PyTorch and nothing else.
"""
import json
import os
import pickle
import struct
import sys

try:
    import torch
except ImportError:
    sys.exit("pth_to_safetensors.py: needs PyTorch, which this Python does not have")

NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16",
         torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16",
         torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}
SAME_WIDTH = {8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.uint8}


def find_state(loaded):
    """The dictionary of tensors inside what torch.load() gave."""
    for key in ("state_dict", "model", "net"):
        if isinstance(loaded, dict) and isinstance(loaded.get(key), dict):
            return loaded[key]
    if not isinstance(loaded, dict):
        raise SystemExit("pth_to_safetensors: the file holds no state dictionary")
    return loaded


def raw_bytes(tensor):
    """The elements, little-endian, in C order; through integers, for NumPy lacks bfloat16."""
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    if flat.dtype == torch.bool:
        flat = flat.to(torch.uint8)
    kind = SAME_WIDTH[flat.element_size()]
    values = flat.view(kind).numpy()
    return values.astype(values.dtype.newbyteorder("<")).tobytes()


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    source, target = sys.argv[1:]
    try:
        loaded = torch.load(source, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, OSError, EOFError, ValueError) as error:
        raise SystemExit(f"pth_to_safetensors: {source}: not loaded, as it is damaged or "
                         f"holds more than weights: {str(error).splitlines()[0]}")
    state = find_state(loaded)
    tensors = []
    for name, value in state.items():
        if not isinstance(value, torch.Tensor):
            print(f"skipped {name}: not a tensor", file=sys.stderr)
        elif value.dtype not in NAMES:
            raise SystemExit(f"pth_to_safetensors: {name}: safetensors has no {value.dtype}")
        else:
            tensors.append((name[7:] if name.startswith("module.") else name, value))
    if len({name for name, _ in tensors}) != len(tensors):
        raise SystemExit("pth_to_safetensors: two tensors have the same name")
    if not tensors:
        raise SystemExit("pth_to_safetensors: the file holds no tensors")
    # Widest elements first, so that every tensor is aligned.
    tensors.sort(key=lambda item: -item[1].element_size())
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, value in tensors:
        size = value.numel() * value.element_size()
        header[name] = {"dtype": NAMES[value.dtype], "shape": list(value.shape),
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(target + ".tmp", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, value in tensors:
            file.write(raw_bytes(value))
    os.replace(target + ".tmp", target)
    print(f"{target}: {len(tensors)} tensors, {offset} bytes")


if __name__ == "__main__":
    main()
