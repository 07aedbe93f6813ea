"""The losses as PyTorch modules. Written by python/tests/stub.py; the texts are in torch.py."""
from os import PathLike
from typing import Any, Iterable, Optional, Sequence, Union

from torch import Tensor, nn

__all__ = [
    "AEL", "AGCE", "AUL", "AnlCE", "AnlFl", "BS", "Backward", "Bitempered", "CE", "EpsCE", "EpsCEMAE",
    "FdivJS", "FdivPearson", "FdivTv", "Focal", "Forward", "GCE", "GJS", "GJSConsistency", "GJSNocons", "JS",
    "JSSqrt", "Jeffreys", "K", "KL", "KLRev", "KRev", "LS", "Loss", "MAE", "NCE", "NCEAEL", "NCEAGCE",
    "NCEAUL", "NCERCE", "NFL", "PEER", "POLY", "RCE", "SCE", "Taylor", "loss", "pretrained",
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

class GJS(Loss):
    def __init__(self, *, pi1: _Number = ..., pi: _Number = ..., scale: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class JS(Loss):
    def __init__(self, *, pi1: _Number = ..., pi: _Number = ..., scale: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class GJSNocons(Loss):
    def __init__(self, *, pi1: _Number = ..., pi: _Number = ..., scale: _Number = ..., code: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class GJSConsistency(Loss):
    def __init__(self, *, pi1: _Number = ..., pi: _Number = ..., scale: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class CE(Loss):
    def __init__(self, *,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class MAE(Loss):
    def __init__(self, *, half: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class GCE(Loss):
    def __init__(self, *, q: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class SCE(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class NCE(Loss):
    def __init__(self, *,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class RCE(Loss):
    def __init__(self, *, clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class NCERCE(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class LS(Loss):
    def __init__(self, *, epsilon: _Number = ..., kl: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class BS(Loss):
    def __init__(self, *, beta: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class KL(Loss):
    def __init__(self, *, scale: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class KLRev(Loss):
    def __init__(self, *, scale: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class Jeffreys(Loss):
    def __init__(self, *, scale: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class K(Loss):
    def __init__(self, *, scale: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class KRev(Loss):
    def __init__(self, *, scale: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class JSSqrt(Loss):
    def __init__(self, *, scale: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class Focal(Loss):
    def __init__(self, *, gamma: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class NFL(Loss):
    def __init__(self, *, gamma: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class AGCE(Loss):
    def __init__(self, *, a: _Number = ..., q: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class AUL(Loss):
    def __init__(self, *, a: _Number = ..., q: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class AEL(Loss):
    def __init__(self, *, a: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class NCEAGCE(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., a: _Number = ..., q: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class NCEAUL(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., a: _Number = ..., q: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class NCEAEL(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., a: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class AnlCE(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., min: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class AnlFl(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., min: _Number = ..., gamma: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class Taylor(Loss):
    def __init__(self, *, t: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class POLY(Loss):
    def __init__(self, *, epsilon: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class Bitempered(Loss):
    def __init__(self, *, t1: _Number = ..., t2: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class EpsCE(Loss):
    def __init__(self, *, m: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class EpsCEMAE(Loss):
    def __init__(self, *, alpha: _Number = ..., beta: _Number = ..., m: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class Forward(Loss):
    def __init__(self, *, rate: _Number = ..., matrix: _Path = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class Backward(Loss):
    def __init__(self, *, rate: _Number = ..., matrix: _Path = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class PEER(Loss):
    def __init__(self, *, alpha: _Number = ..., clamp: _Number = ...,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class FdivTv(Loss):
    def __init__(self, *,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class FdivPearson(Loss):
    def __init__(self, *,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...

class FdivJS(Loss):
    def __init__(self, *,
                 weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> None: ...
