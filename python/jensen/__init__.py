"""Losses, augmentation, label noise and training for classifiers whose labels are partly wrong.

The work is done by the C library that the package carries; the numbers are those of the
program ``jensen``.

>>> import numpy as np
>>> import jensen
>>> logits = np.array([[2.0, 0.5, -1.0], [0.1, 0.2, 0.3]])
>>> round(float(jensen.loss("gce:q=0.7", logits, np.array([0, 2]))), 6)
0.47108
"""
from . import _native, noise, theory, weights
from ._audit import Audit, audit
from ._augment import Augment, AugmentedDataset, augment
from ._classifier import Classifier
from ._loss import loss, losses, set_threads
from ._native import (
    ArgumentError,
    BusyError,
    DataError,
    DeviceError,
    Error,
    FileError,
    NetworkError,
    NumericError,
    OutOfMemoryError,
    RangeError,
    StoppedError,
    UnknownNameError,
    UnsupportedError,
)
from ._run import Run, train
from ._study import Study, Trial, create_study, load_study, run_study

__version__ = _native.version

__all__ = [
    "ArgumentError", "Audit", "Augment", "AugmentedDataset", "BusyError", "Classifier", "DataError",
    "DeviceError", "Error", "FileError", "NetworkError", "NumericError", "OutOfMemoryError", "RangeError",
    "Run", "StoppedError", "Study", "Trial", "UnknownNameError", "UnsupportedError", "audit", "augment",
    "create_study", "load_study", "loss", "losses", "noise", "run_study", "set_threads", "theory", "train",
    "weights",
]
