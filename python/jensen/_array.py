"""Arguments: numbers as arrays, whole numbers and texts."""
from __future__ import annotations

import operator
from typing import Any

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


def text(name: str, value: Any) -> str:
    """A text; the extension would speak of its own arguments by number."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {value!r}")
    return value
