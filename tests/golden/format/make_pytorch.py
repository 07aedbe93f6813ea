#!/usr/bin/env python3
"""make_pytorch.py FOLDER - pytorch_zip.pt, pytorch_old.pt and pytorch_nested.pt: state
dictionaries in all that torch.save() writes. Element i of a tensor of every type is i + 1
in the order of its shape, whatever its strides. Made with PyTorch 2.15."""
import os
import sys
from collections import OrderedDict

import torch

folder = sys.argv[1]
types = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
         "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8}
state = OrderedDict((f"t.{name}", torch.arange(1, 7).reshape(2, 3).to(kind)) for name, kind in types.items())
state["t.BOOL"] = torch.tensor([[True, False, True], [False, True, False]])
state["transposed"] = torch.arange(1.0, 7.0).reshape(2, 3).t().contiguous().t()
state["slice"] = torch.tensor([0.0, 1.0, 9.0, 2.0, 9.0, 3.0])[1::2]
state["channels_last"] = torch.arange(1.0, 25.0).reshape(2, 3, 2, 2).contiguous(memory_format=torch.channels_last)
state["parameter"] = torch.nn.Parameter(torch.arange(1.0, 4.0))
state["scalar"] = torch.tensor(1.0)
state["empty"] = torch.zeros(0, 3)
state["tied"] = state["t.F32"]
state._metadata = OrderedDict({"": {"version": 1}})
torch.save(state, os.path.join(folder, "pytorch_zip.pt"))
torch.save(state, os.path.join(folder, "pytorch_old.pt"), _use_new_zipfile_serialization=False)
torch.save({"epoch": 3, "rate": 0.5, "state_dict": {"module.w": torch.arange(1.0, 4.0), "note": "x"},
            "optimizer": {"state": {}, "param_groups": [{"lr": 0.1, "params": [0]}]}},
           os.path.join(folder, "pytorch_nested.pt"))
