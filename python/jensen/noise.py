"""Label noise: the models of the program, on arrays of labels.

>>> import numpy as np
>>> import jensen.noise
>>> noisy = jensen.noise.symmetric(np.arange(1000) % 10, 0.4, seed=1)
>>> noisy.labels[:5], round(noisy.real_rate, 3)
(array([0, 1, 2, 2, 7]), 0.363)
"""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np

from . import _native
from ._array import labels_of, real, real_array, text, whole

__all__ = ["Noisy", "apply", "asymmetric", "instance", "matrix", "symmetric"]


@dataclass(frozen=True, eq=False, repr=False)
class Noisy:
    """Noisy labels, and how noisy they are. Stands for its labels where an array is wanted."""

    labels: np.ndarray
    """int64, one a sample"""
    nominal_rate: float
    """the rate that was asked for; NaN where the model has none"""
    real_rate: float
    """the share of the labels that differ now"""
    drawn: int
    """labels that were drawn anew; some of them are what they were"""
    changed: int
    """labels that differ now"""
    class_rates: np.ndarray
    """by class: the share of its labels that differ now"""
    counts: Optional[np.ndarray]
    """[classes][classes]: samples from label to label; None for more than 2,000 classes"""

    @property
    def matrix(self) -> Optional[np.ndarray]:
        """The counts by row as shares; the row of a class without samples keeps the class."""
        if self.counts is None:
            return None
        sums = self.counts.sum(1, keepdims=True)
        return np.where(sums > 0, self.counts / np.maximum(sums, 1), np.eye(len(self.counts)))

    def __repr__(self) -> str:
        return f"Noisy({len(self.labels)} labels, real_rate={self.real_rate:.4g}, nominal_rate={self.nominal_rate:.4g})"

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.labels, dtype) if copy else np.asarray(self.labels, dtype)


def apply(spec: str, labels: Any, *, classes: Optional[int] = None, seed: int = 1,
          class_names: Optional[Sequence[str]] = None, paths: Optional[Sequence[str]] = None,
          posteriors: Any = None, asymmetric: Optional[str] = None) -> Noisy:
    """Noise by its spec, as in ``jensen train --noise SPEC``.

    ``classes`` is how many there are (the largest label decides at first), ``class_names`` and ``paths`` are
    what a label file goes by, ``posteriors`` are class probabilities (samples, classes) for "instance", and
    ``asymmetric`` says whose similar classes "asym" takes: "cifar10" or "cifar100".

    >>> import jensen.noise
    >>> jensen.noise.apply("sym-other:rate=1", [0, 1, 0, 1]).labels
    array([1, 0, 1, 0])
    """
    spec = text("the spec of a noise model", spec)
    seed = whole("seed", seed, 0, 2**64 - 1)
    given = labels_of(labels)
    if len(given) == 0:
        raise ValueError("there are no labels")
    if int(given.min()) < 0 or int(given.max()) >= 1 << 24:
        raise ValueError("labels are numbers from 0 on")
    classes = max(2, int(given.max()) + 1) if classes is None else whole("classes", classes, 2, 1 << 24)
    noisy = np.empty(len(given), np.int32)
    rates = np.empty(classes)
    counts = np.empty((classes, classes), np.int64) if classes <= 2000 else None
    if posteriors is not None:
        posteriors = np.ascontiguousarray(real_array("posteriors", posteriors), np.float32)
    nominal, real, drawn, changed, _ = _native.noise(
        spec, np.ascontiguousarray(given, np.int32), classes,
        None if class_names is None else tuple(text("a class name", name) for name in class_names), asymmetric,
        None if paths is None else tuple(map(os.fspath, paths)), posteriors, seed, noisy, rates, counts)
    return Noisy(noisy.astype(np.int64), nominal, real, drawn, changed, rates, counts)


def _rate(rate: Any) -> str:
    return repr(real("the rate", rate))


def symmetric(labels: Any, rate: float, *, seed: int = 1, classes: Optional[int] = None,
              other: bool = False) -> Noisy:
    """A share of the labels is drawn anew from all classes; with ``other`` from the other ones."""
    name = "sym-other" if other else "sym"
    return apply(f"{name}:rate={_rate(rate)}", labels, seed=seed, classes=classes)


def asymmetric(labels: Any, rate: float, *, seed: int = 1, data: str = "cifar10") -> Noisy:
    """Classes are taken for one that looks like them: those of CIFAR-10 or CIFAR-100."""
    return apply(f"asym:rate={_rate(rate)}", labels, seed=seed, asymmetric=data,
                 classes=100 if data == "cifar100" else 10)


def instance(labels: Any, rate: float, posteriors: Any, *, seed: int = 1, type: int = 1) -> Noisy:
    """Noise that depends on the image, through class probabilities (samples, classes)."""
    posteriors = real_array("posteriors", posteriors)
    if posteriors.ndim != 2:
        raise ValueError(f"posteriors have the shape {posteriors.shape}; expected (samples, classes)")
    return apply(f"instance:type={whole('type', type, 1, 3)},rate={_rate(rate)}", labels, seed=seed,
                 classes=posteriors.shape[1], posteriors=posteriors)


def matrix(labels: Any, transition: Any, *, seed: int = 1) -> Noisy:
    """Labels are drawn from a row of ``transition`` (classes, classes), each with a sum of 1."""
    transition = np.ascontiguousarray(real_array("transition", transition), np.float64)
    if transition.ndim != 2 or len(transition) != transition.shape[1]:
        raise ValueError(f"the matrix has the shape {transition.shape}; expected (classes, classes)")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.npy")
        np.save(path, transition)
        try:
            return apply(f"matrix:{path}", labels, seed=seed, classes=len(transition))
        except _native.DataError as error:
            raise _native.DataError(str(error).replace(path, "the matrix")) from None
