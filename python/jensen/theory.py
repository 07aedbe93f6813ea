"""What is proved about the Jensen-Shannon losses, as numbers.

>>> import jensen.theory
>>> bounds = jensen.theory.bounds(classes=10, views=2, pi1=0.5)
>>> round(bounds["lower"] / bounds["z"], 4), round(bounds["upper"] / bounds["z"], 4)
(15.1655, 27.2451)
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _native
from ._array import real, real_array, text, whole

__all__ = ["bounds", "decompose", "divergence", "f", "gradient_scale", "js", "label_sum", "match_gce", "risk"]

_LOSSES = {"ce": 0, "mae": 1, "gce": 2, "js": 3}


def _loss(name: str) -> int:
    if text("the loss", name) not in _LOSSES:
        raise ValueError(f"no loss {name!r} here (there are: {', '.join(_LOSSES)})")
    return _LOSSES[name]


def _reals(values: Any) -> Optional[np.ndarray]:
    return None if values is None else np.ascontiguousarray(real_array("values", values), np.float64)


def _count(name: str, value: Any) -> int:
    return whole(name, value, -2**31, 2**31 - 1)


def _views(weights: Optional[np.ndarray], views: int) -> int:
    return _count("views", views) if weights is None else len(weights) - 1


def _curve(which: int, parameter: float, points: Any) -> Any:
    points = real_array("points", points).astype(np.float64)
    out = np.empty_like(points, order="C")
    _native.theory_curve(which, real("the parameter", parameter), np.ascontiguousarray(points), out)
    return out[()]


def _share(name: str, value: float) -> float:
    if not 0.0 < real(name, value) < 1.0:
        raise ValueError(f"{name} = {value} is not inside (0, 1)")
    return value


def bounds(classes: int, views: int = 1, pi1: float = 0.5, weights: Any = None) -> dict[str, Any]:
    """The constants that bound a loss, unscaled: divide by ``z`` for the scaled losses.

    ``weights`` are any (the label's first) instead of ``views`` and ``pi1``.
    """
    weights = _reals(weights)
    return _native.theory_bounds(_count("classes", classes), _views(weights, views), real("pi1", pi1), weights)


def label_sum(loss: str, classes: int, parameter: float = 0.5) -> tuple[float, float]:
    """Between which values the sum of a loss over all labels lies ("ce", "mae", "gce", "js")."""
    return _native.theory_label_sum(_loss(loss), real("the parameter", parameter), _count("classes", classes))


def js(pi1: float, p: Any) -> Any:
    """The scaled JS loss at the probability of the label; towards CE for pi1 to 0, MAE for pi1 to 1.

    NaN where ``p`` is no probability.
    """
    return _curve(0, _share("pi1", pi1), p)


def gradient_scale(loss: str, p: Any, parameter: float = 0.5) -> Any:
    """How strongly a loss ("ce", "mae", "gce", "js") pulls at the probability ``p`` of the label.

    ``parameter`` is the q of "gce" or the pi1 of "js". NaN where ``p`` is no probability above 0.
    """
    if loss == "js" or loss == "gce" and parameter != 1.0:
        _share("pi1" if loss == "js" else "q", parameter)
    return _curve(1 + _loss(loss), parameter, p)


def f(pi1: float, t: Any, second: bool = False) -> Any:
    """JS as an f-divergence: f(t), or its second derivative. NaN for negative ``t``."""
    return _curve(6 if second else 5, _share("pi1", pi1), t)


def match_gce(q: float, p: float = 0.5) -> tuple[float, float]:
    """The pi1 whose JS pulls as GCE with this q does at probability p, and 1 - pi1."""
    return _native.theory_match_gce(real("q", q), real("p", p))


def divergence(weights: Any, distributions: Any) -> float:
    """D(p1, ..., pM) of the rows of ``distributions``, unscaled. ``weights`` has one number a row.

    >>> import jensen.theory
    >>> round(jensen.theory.divergence([0.5, 0.5], [[1, 0], [0, 1]]), 6)      # the logarithm of 2
    0.693147
    """
    p = np.ascontiguousarray(real_array("distributions", distributions), np.float64)
    if p.ndim != 2:
        raise ValueError(f"distributions have the shape {p.shape}; expected (count, classes)")
    return _native.theory_divergence(_reals(weights), p, p.shape[1])


def decompose(p: Any, label: int, pi1: float = 0.5, weights: Any = None) -> dict[str, float]:
    """GJS = JS of the label and the mean prediction + consistency of the predictions (views, classes).

    >>> import jensen.theory
    >>> parts = jensen.theory.decompose([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]], label=0)
    >>> abs(parts["gjs"] - parts["js"] - parts["consistency"]) < 1e-12
    True
    """
    label = whole("label", label, 0, 2**31 - 1)
    p = np.ascontiguousarray(real_array("p", p), np.float64)
    if p.ndim != 2 or not 0 <= label < p.shape[1]:
        raise ValueError(f"predictions {p.shape} with label {label}; expected (views, classes) and a class")
    return _native.theory_decompose(p.shape[0], p.shape[1], real("pi1", pi1), _reals(weights), label, p)


def risk(classes: int, views: int = 1, pi1: float = 0.5, *, eta: float = 0.0, transition: Any = None,
         prior: Any = None, weights: Any = None, consistent: bool = False) -> dict[str, float]:
    """Bounds of the risk under symmetric noise ``eta``, or under a ``transition`` matrix.

    The matrix is (classes, classes) with rows that sum to 1, ``prior`` the share of each class (equal at first).
    """
    weights = _reals(weights)
    return _native.theory_risk(_count("classes", classes), _views(weights, views), real("pi1", pi1), weights,
                               real("eta", eta), _reals(transition), _reals(prior), consistent)
