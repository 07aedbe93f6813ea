"""Which labels are wrong."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._array import labels_of, real, real_array, text, whole


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What an audit found."""

    suspects: np.ndarray
    """the samples whose label is probably wrong, worst first"""
    score: np.ndarray
    """by sample: the chance that its label is wrong"""
    suggested: np.ndarray
    """by sample: the class that fits best instead"""
    kind: np.ndarray
    """by sample: "none", "label", "ambiguous" or "outlier" """
    noise_rate: float
    """estimated share of wrong labels"""
    noise_low: float
    noise_high: float
    matrix: np.ndarray
    """[classes][classes]: estimated count of samples by given and true class"""
    class_rates: np.ndarray
    """by given class: the share of its labels that is wrong"""
    thresholds: np.ndarray
    """by class: the mean probability of it over the samples that carry its label"""

    def __repr__(self) -> str:
        return (f"Audit({len(self.score)} labels, {len(self.suspects)} suspects, noise_rate={self.noise_rate:.4g}, "
                f"noise_low={self.noise_low:.4g}, noise_high={self.noise_high:.4g})")


def audit(labels: Any, posteriors: Any, *, method: str = "combined", cutoff: float = 0.5,
          confidence: float = 0.9, threads: int = 0) -> Audit:
    """Judges labels by class probabilities (samples, classes) of a model that has not seen them.

    ``posteriors`` may also be (views, samples, classes): of views of the images, of epochs, or of
    the members of an ensemble. The methods "agreement" and "consistency" look at each of them, the
    others at their mean. A label with a chance to be wrong of at least ``cutoff`` is a suspect;
    ``confidence`` is that of the interval of the noise rate.

    >>> import numpy as np
    >>> import jensen
    >>> posteriors = np.full((30, 3), 0.05) + 0.85 * np.eye(3)[np.arange(30) % 3]
    >>> labels = np.arange(30) % 3
    >>> labels[7] = 2
    >>> jensen.audit(labels, posteriors).suspects
    array([7], dtype=uint32)
    >>> views = np.stack([posteriors, posteriors])
    >>> int(jensen.audit(labels, views, method="consistency").score.argmax())
    7
    """
    method, threads = text("method", method), whole("threads", threads, 0, 1024)
    cutoff, confidence = real("cutoff", cutoff), real("confidence", confidence)
    labels = labels_of(labels)
    posteriors = real_array("posteriors", posteriors)
    if posteriors.dtype not in (np.float32, np.float64):
        posteriors = posteriors.astype(np.float32)
    views = None
    if posteriors.ndim == 3 and len(posteriors) > 0:
        views = np.ascontiguousarray(posteriors, np.float32)
        posteriors = posteriors.mean(0)
    if posteriors.ndim != 2:
        raise ValueError(f"posteriors have the shape {posteriors.shape}; expected (samples, classes) or "
                         "(views, samples, classes)")
    samples, classes = len(labels), posteriors.shape[1]
    if len(posteriors) != samples:
        raise ValueError(f"{samples} labels with the probabilities of {len(posteriors)} samples")
    out = (np.empty(samples, np.float32), np.empty(samples, np.int32), np.empty(samples, np.uint8),
           np.empty(samples, np.uint32), np.empty((classes, classes)), np.empty(classes), np.empty(classes))
    bounds = np.iinfo(np.int32)
    clipped = np.ascontiguousarray(np.clip(labels.astype(np.int64), bounds.min, bounds.max), np.int32)
    suspects, rate, low, high = _native.audit(
        classes, 0 if views is None else len(views), posteriors.dtype == np.float64, method, cutoff, confidence, threads,
        (clipped, np.ascontiguousarray(posteriors), views, *out))
    score, suggested, kind, order, matrix, rates, thresholds = out
    names = np.array(_native.audit_kinds())
    return Audit(order[:suspects].copy(), score, suggested, names[kind], rate, low, high, matrix, rates,
                 thresholds)
