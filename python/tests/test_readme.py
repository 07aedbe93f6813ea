"""The Python of README.md runs as it stands, with a model, views and labels of the reader's."""
import pathlib
import re

import pytest

torch = pytest.importorskip("torch")
README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def test_readme():
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    for block in blocks:
        model = torch.nn.Linear(6, 4)
        names = {"model": model, "views": [torch.randn(5, 6), torch.randn(5, 6)], "labels": torch.tensor([0, 1, 2, 3, 0])}
        exec(block, names)
        assert torch.isfinite(names["loss"]) and model.weight.grad.abs().sum() > 0
