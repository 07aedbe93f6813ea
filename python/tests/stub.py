"""Writes python/jensen/torch.pyi: the losses have their classes from the library's table, which a type checker
cannot read. `python python/tests/stub.py` after a loss was added; test_names.py compares."""
import pathlib
import textwrap

import jensen
import jensen.torch

PATH = pathlib.Path(__file__).resolve().parents[1] / "jensen" / "torch.pyi"
HEAD = '''"""The losses as PyTorch modules. Written by python/tests/stub.py; the texts are in torch.py."""
from os import PathLike
from typing import Any, Iterable, Optional, Sequence, Union

from torch import Tensor, nn

__all__ = [
{names}
]

_Logits = Union[Tensor, Iterable[Tensor]]
_Number = Union[float, Sequence[float]]
_Path = Union[str, PathLike[str]]

def loss(spec: str, logits: _Logits, target: Tensor, *, weight: Optional[Tensor] = None,
         sample_weight: Optional[Tensor] = None, reduction: str = "mean", ignore_index: int = -100) -> Tensor: ...
def pretrained(name: str) -> nn.Module: ...

class Loss(nn.Module):
    spec: str
    views: int
    reduction: str
    ignore_index: int
    weight: Optional[Tensor]
    def __init__(self, spec: str, *, weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...
    def forward(self, logits: _Logits, target: Tensor, sample_weight: Optional[Tensor] = None) -> Tensor: ...
    def __call__(self, logits: _Logits, target: Tensor, sample_weight: Optional[Tensor] = None) -> Tensor: ...
    def extra_repr(self) -> str: ...
'''


def text() -> str:
    names = ", ".join(f'"{name}"' for name in sorted(jensen.torch.__all__))
    parts = [HEAD.replace("{names}", textwrap.fill(names, 110, initial_indent="    ", subsequent_indent="    ") + ",")]
    for row in jensen.losses():
        name = next(n for n in jensen.torch.__all__ if getattr(jensen.torch, n).__doc__.find(f"the loss '{row.name}' as") >= 0)
        own = "".join(f" {p.name}: {'_Path' if p.name == 'matrix' else '_Number'} = ...," for p in row.parameters)
        parts.append(f"\nclass {name}(Loss):\n    def __init__(self, *,{own}\n                 weight: Any = None, "
                     'reduction: str = "mean", ignore_index: int = -100) -> None: ...\n')
    return "".join(parts)


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
