"""Pretrained weights, kept in the cache under a name: what ``jensen weights`` does.

Training on photographs starts from them by itself, and ``jensen.torch.pretrained`` opens them.

>>> import jensen.weights
>>> [w.name for w in jensen.weights.available() if w.name == "no such weights"]
[]
"""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _native
from ._array import text, text_or_none

__all__ = ["Weights", "available", "fetch", "import_file", "remove"]


@dataclass(frozen=True)
class Weights:
    """Weights of the cache, and how images are prepared for them."""

    name: str
    network: str
    classes: int
    image_size: int
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]
    evaluation: str  #: the transform of images, a spec
    source: str  #: the file that was imported
    sha256: str  #: of that file
    note: Optional[str]  #: what the file does not tell and was assumed


def _weights(record: tuple[Any, ...]) -> Weights:
    return Weights(*record)


def import_file(path: Union[str, os.PathLike[str]], name: Optional[str] = None) -> Weights:
    """Keep the weights of a file: safetensors, .pth, .pt, or a wheel or archive with one.

    The network is found by the tensors. ``name`` is that of the network unless given. Nothing in the file is executed.
    """
    return _weights(_native.weights_import(os.fsdecode(path), text_or_none("the name", name)))


def fetch(what: str, *, sha256: Optional[str] = None, name: Optional[str] = None) -> Weights:
    """Download weights that are published under a name, such as "resnet50", or those at a URL.

    A URL needs the SHA-256 of its file, or the first digits of it, unless the name of the file ends with them.
    """
    return _weights(_native.weights_fetch(text("what to fetch", what), text_or_none("the name", name),
                                          text_or_none("sha256", sha256)))


def available() -> list[Weights]:
    """All weights in the cache, by name.

    Damaged ones are left out, and a RuntimeWarning names the first.
    """
    return [_weights(record) for record in _native.weights_list()]


def remove(name: str) -> None:
    """Remove weights from the cache."""
    _native.weights_remove(text("the name", name))
