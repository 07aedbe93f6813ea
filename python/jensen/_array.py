"""Arguments: numbers as arrays, labels, single numbers and texts."""
from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np


def real_array(name: str, values: Any) -> np.ndarray:
    """An array of real numbers. NumPy would drop the imaginary parts of complex ones, with a warning."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: complex numbers; expected real ones")
    return array


def whole(name: str, value: Any, lowest: int, highest: int) -> int:
    """A whole number of any type (of NumPy, say) inside its bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None
    if not lowest <= number <= highest:
        raise ValueError(f"{name} {number} is not in {lowest}..{highest}")
    return number


def real(name: str, value: Any) -> float:
    """A real number of any type."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {value!r}") from None


def labels_of(labels: Any) -> np.ndarray:
    """Labels as whole numbers in one dimension."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise TypeError(f"labels are whole numbers in one dimension, not {array.dtype} {array.shape}; "
                        "np.unique(labels, return_inverse=True) numbers others")
    return array


def text(name: str, value: Any) -> str:
    """A text; the extension would speak of its own arguments by number."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {value!r}")
    return value


def text_or_none(name: str, value: Any) -> Optional[str]:
    """The same where it may be left out."""
    return None if value is None else text(name, value)
