"""Losses on NumPy arrays."""
from __future__ import annotations

import functools
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._array import real_array, text, whole

REDUCTIONS = {"mean": 0, "sum": 1, "none": 2}
LABELS_64, LABELS_32, SOFT = 0, 1, 2


class Parameter(NamedTuple):
    """A parameter of a loss; a list of weights has no number to start from."""

    name: str
    help: str
    initial: Optional[float]
    lowest: Optional[float]
    highest: Optional[float]


class LossInfo(NamedTuple):
    """What there is to know of a loss before it is used."""

    name: str
    summary: str
    views: int
    soft: bool
    per_sample: bool
    parameters: tuple[Parameter, ...]


def losses() -> list[LossInfo]:
    """The losses there are.

    >>> import jensen
    >>> [p.name for row in jensen.losses() if row.name == "sce" for p in row.parameters]
    ['alpha', 'beta', 'clamp']
    """
    return [LossInfo(*row[:5], tuple(Parameter(*p) for p in row[5])) for row in _native.losses()]


def set_threads(threads: int) -> None:
    """How many threads large batches are spread over; 0, as at first, is one a usable core.

    The results have the same bits for any number.
    """
    _native.set_threads(threads)


@functools.lru_cache(maxsize=128)
def native(spec: str) -> _native.Loss:
    """The loss that a spec names; made once."""
    return _native.Loss(spec)


def reduction_code(reduction: str) -> int:
    """The number that the extension knows a reduction by."""
    code = REDUCTIONS.get(reduction) if isinstance(reduction, str) else None
    if code is None:
        raise ValueError(f"no reduction {reduction!r} (there are: {', '.join(REDUCTIONS)})")
    return code


def _logits(logits: Any) -> tuple[np.ndarray, bool]:
    """Logits as [views][samples][classes], and whether they came without views."""
    if isinstance(logits, (list, tuple)) and len(logits) > 0 and np.ndim(logits[0]) == 2:
        logits = np.stack([np.asarray(view) for view in logits])
    logits = real_array("logits", logits)
    if logits.dtype not in (np.float32, np.float64):
        logits = logits.astype(np.float32 if logits.dtype == np.float16 else np.float64)
    if logits.ndim not in (2, 3):
        raise ValueError(f"logits have the shape {logits.shape}; expected (samples, classes), "
                         "(views, samples, classes) or a list of views")
    flat = logits.ndim == 2
    return np.ascontiguousarray(logits[None] if flat else logits), flat


def _target(target: Any, logits: np.ndarray) -> tuple[np.ndarray, int]:
    target = real_array("the target", target)
    if target.ndim == 2:
        return np.ascontiguousarray(target, logits.dtype), SOFT
    if target.ndim != 1:
        raise ValueError(f"the target has the shape {target.shape}; expected labels "
                         "(samples,) or soft targets (samples, classes)")
    if target.dtype == np.int32:
        return np.ascontiguousarray(target), LABELS_32
    if target.dtype.kind not in "iub":
        raise TypeError(f"labels are whole numbers, not {target.dtype}")
    return np.ascontiguousarray(target, np.int64), LABELS_64


def _weights(name: str, weights: Any) -> Optional[np.ndarray]:
    if weights is None:
        return None
    array = np.ascontiguousarray(real_array(name, weights), np.float64)
    if np.ndim(weights) != 1:
        raise ValueError(f"{name} has the shape {np.shape(weights)}; expected one dimension")
    return array


def loss(
    spec: str,
    logits: ArrayLike,
    target: ArrayLike,
    grad: bool = False,
    *,
    weight: Optional[ArrayLike] = None,
    sample_weight: Optional[ArrayLike] = None,
    reduction: str = "mean",
    ignore_index: Optional[int] = None,
) -> Any:
    """A loss of a batch, and its gradient with respect to the logits if ``grad``.

    ``logits`` is (samples, classes), (views, samples, classes) or a list of views; ``target``
    is labels (samples,) or soft targets (samples, classes). float32 and float16 are evaluated in
    float32, everything else in double. ``weight`` is one a class, ``sample_weight`` one a sample;
    the mean divides by the sum of the weights. Samples labelled ``ignore_index`` do not count.

    >>> import numpy as np
    >>> import jensen
    >>> logits = np.array([[2.0, 0.5, -1.0], [0.1, 0.2, 0.3]])
    >>> value, gradient = jensen.loss("ce", logits, np.array([0, 2]), grad=True)
    >>> print(f"{value:.6f}", gradient[0].round(6))
    0.621627 [-0.107201  0.087645  0.019556]
    """
    evaluator = native(text("the spec of a loss", spec))
    code = reduction_code(reduction)
    if ignore_index is not None:
        ignore_index = whole("ignore_index", ignore_index, -2**63, 2**63 - 1)
    logits, flat = _logits(logits)
    target, kind = _target(target, logits)
    views, samples, classes = logits.shape
    value = np.empty(samples if reduction == "none" else (), logits.dtype)
    gradient = np.empty_like(logits) if grad else None
    if samples == 0 and code != REDUCTIONS["mean"] and views > 0 and classes > 0:
        value.fill(0)  # a sum of nothing
    else:
        evaluator.evaluate_arrays(
            views, samples, classes, logits.dtype == np.float64, logits, target, kind,
            _weights("weight", weight), _weights("sample_weight", sample_weight), ignore_index, code, value, gradient)
    if reduction != "none":
        value = value[()]
    if gradient is None:
        return value
    return value, gradient[0] if flat else gradient
