"""Numbers as arrays."""
from __future__ import annotations

from typing import Any

import numpy as np


def real_array(name: str, values: Any) -> np.ndarray:
    """An array of real numbers. NumPy would drop the imaginary parts of complex ones, with a warning."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: complex numbers; needed are real ones")
    return array
