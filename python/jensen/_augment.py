"""Augmentation of images: byte for byte as Pillow, and the same whatever the number of workers."""
from __future__ import annotations

import functools
import os
import random
import sys
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _native
from ._array import text, whole


def _is_tensor(images: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(images, torch.Tensor)


def as_batch(images: Any) -> tuple[np.ndarray, bool]:
    """Images as uint8 [count][height][width][3], and whether it was a single one."""
    given = images
    if _is_tensor(images):
        images = images.detach().cpu().numpy()
    elif hasattr(images, "convert"):  # of Pillow
        images = np.asarray(images.convert("RGB"))
    elif isinstance(images, (list, tuple)):
        images = _stack([as_batch(image) for image in images])
    images = np.asarray(images)
    if images.dtype.kind not in "buif":
        raise TypeError(f"images are arrays, tensors or images of Pillow, not {type(given).__name__}")
    if images.dtype != np.uint8:
        raise TypeError(f"images are uint8, from 0 to 255, not {images.dtype}")
    single = images.ndim == 3
    if single:
        images = images[None]
    if images.ndim != 4 or 3 not in (images.shape[1], images.shape[3]):
        raise ValueError(f"images have the shape {images.shape[single:]}; expected (height, width, 3) or "
                         "(3, height, width), and one dimension more for a batch")
    if images.shape[3] != 3:
        images = images.transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), single


def _stack(parts: list[tuple[np.ndarray, bool]]) -> np.ndarray:
    """Single images as a batch."""
    if not parts:
        raise ValueError("the list of images is empty")
    if not all(single for _, single in parts):
        raise ValueError("the list holds batches; expected single images, or one array of all")
    shapes = {part.shape[1:3] for part, _ in parts}
    if len(shapes) > 1:
        raise ValueError(f"the images of a batch have different sizes ({' and '.join(map(str, sorted(shapes)[:2]))}); "
                         "give them one by one")
    return np.concatenate([part for part, _ in parts])


def _numbers(name: str, values: Any) -> tuple[float, ...]:
    """One number a channel."""
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 3:
        raise ValueError(f"{name} has one number for each of the 3 channels, not {values!r}")
    return numbers


def _size(size: Any) -> Optional[tuple[int, int]]:
    """Height and width of the results."""
    if size is None:
        return None
    sides = tuple(size) if isinstance(size, (tuple, list, np.ndarray)) and np.ndim(size) == 1 else (size, size)
    if len(sides) != 2:
        raise ValueError(f"size is one number, or height and width, not {size!r}")
    return whole("size", sides[0], 0, 65535), whole("size", sides[1], 0, 65535)


class Augment:
    """A pipeline by its spec: ``"strong"``, ``"crop:pad=4+flip"``. See :func:`augment`."""

    def __init__(self, spec: str, *, size: Union[None, int, tuple[int, int]] = None,
                 mean: Sequence[float] = (0.0, 0.0, 0.0), std: Sequence[float] = (1.0, 1.0, 1.0),
                 views: int = 1, threads: Optional[int] = None) -> None:
        self.spec = text("the spec of an augmentation", spec)
        self.size = _size(size)
        self.mean, self.std = _numbers("mean", mean), _numbers("std", std)
        self.views = whole("views", views, 1, 65535)
        self.threads = None if threads is None else whole("threads", threads, 0, 1024)
        _pipeline(spec, *(self.size or (32, 32)), self.mean, self.std)

    def __repr__(self) -> str:
        given = (("size", self.size, None), ("mean", self.mean, (0.0, 0.0, 0.0)), ("std", self.std, (1.0, 1.0, 1.0)),
                 ("views", self.views, 1), ("threads", self.threads, None))
        return f"jensen.augment({', '.join([repr(self.spec), *(f'{n}={v!r}' for n, v, i in given if v != i)])})"

    def __call__(self, images: Any, *, seed: int = 0, epoch: int = 0,
                 index: Union[None, int, Sequence[int], np.ndarray] = None) -> Any:
        """Augments an image or a batch.

        uint8, (height, width, 3) or (3, height, width), with a dimension more for a batch; an
        image of Pillow; a tensor. The result is float32, (3, height, width) of numbers from 0 to 1,
        less ``mean`` and divided by ``std``; a batch in front of that, views in front of the batch.
        The random choices are named by (seed, epoch, index), ``index`` being the place of an image in
        the data set. Without an index they come from the random numbers of torch, else of Python.
        """
        batch, single = as_batch(images)
        count, height, width = batch.shape[:3]
        pipeline = _pipeline(self.spec, *(self.size or (height, width)), self.mean, self.std)
        indices = np.atleast_1d(np.asarray(_random_indices(count) if index is None else index))
        if indices.size > 0 and indices.dtype.kind not in "iu":
            raise TypeError(f"index holds whole numbers, one an image, not {indices.dtype}")
        indices = np.ascontiguousarray(indices, np.int64)
        seed, epoch = whole("seed", seed, 0, 2**64 - 1), whole("epoch", epoch, 0, 2**32 - 1)
        out = np.empty((self.views, count, 3, *(self.size or (height, width))), np.float32)
        threads = self.threads or (len(os.sched_getaffinity(0)) if count >= 8 else 1)
        pipeline.apply(batch, count, height, width, indices, seed, epoch, 0, self.views, out, threads)
        result = out[:, 0] if single else out
        result = result[0] if self.views == 1 else result
        return sys.modules["torch"].from_numpy(result) if _is_tensor(images) else result

    def dataset(self, data: Any, *, seed: int = 0) -> "AugmentedDataset":
        """A data set of (image, ...) pairs with its images augmented by their place in it."""
        return AugmentedDataset(data, self, seed)


class AugmentedDataset:
    """For a ``DataLoader``: item i is that of ``data`` with the image augmented by (seed, epoch, i).

    Set ``epoch`` before each epoch; the numbers of workers and batches do not matter. Workers that
    stay from epoch to epoch hear of it, too.
    """

    def __init__(self, data: Any, augment: Augment, seed: int = 0) -> None:
        self.data, self.augment, self.seed = data, augment, seed
        torch = sys.modules.get("torch")
        self._epoch = np.zeros(1, np.int64) if torch is None else torch.zeros(1, dtype=torch.int64, device="cpu")
        if torch is not None:
            self._epoch.share_memory_()

    @property
    def epoch(self) -> int:
        """The epoch whose augmentation the items have."""
        return int(self._epoch[0])

    @epoch.setter
    def epoch(self, epoch: int) -> None:
        self._epoch[0] = whole("epoch", epoch, 0, 2**32 - 1)

    def __repr__(self) -> str:
        return f"{self.augment!r}.dataset({type(self.data).__name__} of {len(self)}, seed={self.seed}), epoch {self.epoch}"

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        image, *rest = self.data[index]
        index = index + len(self.data) if index < 0 else index
        return (self.augment(image, seed=self.seed, epoch=self.epoch, index=index), *rest)


@functools.lru_cache(maxsize=64)
def _pipeline(spec: str, height: int, width: int, mean: tuple[float, ...],
              std: tuple[float, ...]) -> _native.Augment:
    return _native.Augment(spec, height, width, mean, std)


def _random_indices(count: int) -> np.ndarray:
    torch = sys.modules.get("torch")
    if torch is not None:
        return torch.randint(0, 1 << 32, (count,), device="cpu").numpy()
    return np.array([random.getrandbits(32) for _ in range(count)], np.int64)


def augment(spec: str, *, size: Union[None, int, tuple[int, int]] = None, mean: Sequence[float] = (0.0, 0.0, 0.0),
            std: Sequence[float] = (1.0, 1.0, 1.0), views: int = 1, threads: Optional[int] = None) -> Augment:
    """An augmentation pipeline, to be called on images.

    ``size`` is that of the results (that of the images at first), ``mean`` and ``std`` normalise
    them, ``views`` is how many augmented copies are made of an image, ``threads`` how many work on a
    batch (all cores at first).

    >>> import numpy as np
    >>> import jensen
    >>> images = np.zeros((5, 32, 32, 3), np.uint8)
    >>> jensen.augment("strong", views=2)(images, seed=1, epoch=3, index=range(5)).shape
    (2, 5, 3, 32, 32)
    """
    return Augment(spec, size=size, mean=mean, std=std, views=views, threads=threads)
