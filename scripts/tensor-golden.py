#!/usr/bin/env python3
"""Makes the small PyTorch files of the tests of the tensor readers (pip install torch numpy; any version).

    scripts/tensor-golden.py tests/unit/model/golden

Writes state-zip.bin and state-legacy.bin (the same state dict in both formats of torch.save), state-noncontiguous.bin
and state-pickled-module.bin (a whole module, which must be refused).
"""
import sys
from collections import OrderedDict
from pathlib import Path

import torch

folder = Path(sys.argv[1])
state = OrderedDict()
state["a.weight"] = torch.arange(6, dtype=torch.float32).reshape(2, 3) / 4
state["a.bias"] = torch.tensor([1.5, -2.0, 0.25], dtype=torch.float16)
state["b"] = torch.tensor([[1.0, -0.5]], dtype=torch.bfloat16)
state["ids"] = torch.arange(4)
state["scalar"] = torch.tensor(2.5, dtype=torch.float64)
state["tied"] = state["a.weight"][1]
state["parameter"] = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
state["empty"] = torch.zeros(0, 5)
torch.save(state, folder / "state-zip.bin")
torch.save(state, folder / "state-legacy.bin", _use_new_zipfile_serialization=False)
torch.save({"state_dict": {"t": torch.arange(6, dtype=torch.float32).reshape(2, 3).t()}}, folder / "state-noncontiguous.bin")
torch.save(torch.nn.Linear(2, 2), folder / "state-pickled-module.bin")
