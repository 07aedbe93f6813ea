"""A classifier in the manner of scikit-learn."""
from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from typing import Any, Iterator, Optional

import numpy as np

from ._run import Run, pixels_of, train


def _files(folder: str) -> dict[str, bytes]:
    """The plain files of a folder, by name."""
    found = {}
    for entry in os.scandir(folder):
        if entry.is_file(follow_symlinks=False):
            with open(entry.path, "rb") as file:
                found[entry.name] = file.read()
    return found


def _not_fitted() -> type[Exception]:
    """scikit-learn's exception, a ValueError, where it is at work."""
    exceptions = sys.modules.get("sklearn.exceptions")
    return ValueError if exceptions is None else exceptions.NotFittedError


def _path(image: Any, folder: str, index: int) -> str:
    """Where an image lies; arrays are written down as PPM."""
    if isinstance(image, (str, os.PathLike)):
        return os.path.abspath(image)
    pixels, height, width = pixels_of(image)
    path = os.path.join(folder, f"{index:08d}.ppm")
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height))
        file.write(pixels.tobytes())
    return path


@contextlib.contextmanager
def _beside(out: str, X: Any, codes: np.ndarray) -> Iterator[str]:
    """A folder for images and labels beside a run. It is named by them, so that the same call continues the run."""
    seen = hashlib.sha256(np.ascontiguousarray(codes, np.int64).tobytes())
    for image in X:
        if not isinstance(image, (str, os.PathLike)):
            pixels, height, width = pixels_of(image)
            seen.update(b"%d %d " % (height, width) + np.ascontiguousarray(pixels).tobytes())
    folder = f"{os.path.abspath(out)}.data-{seen.hexdigest()[:16]}"
    os.makedirs(folder, exist_ok=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_table(folder: str, X: Any, codes: np.ndarray) -> str:
    """A table of images and classes; arrays become files."""
    table = os.path.join(folder, "table.csv")
    with open(table, "w", encoding="utf-8") as file:
        file.write("path,label\n")
        for i, (image, code) in enumerate(zip(X, codes)):
            path = _path(image, folder, i).replace('"', '""')
            file.write(f'"{path}",class{code:06d}\n')
    return table


class Classifier:
    """Learns classes of images from labels that are partly wrong.

    ``fit`` takes uint8 images (samples, height, width, 3) or a list of paths. The parameters are
    those of :func:`train`, and ``options`` is a dict of more of them; ``out`` names the run folder, which the
    same ``fit`` continues. Without it a temporary one is used. A fitted classifier can be
    pickled and copied: its temporary run goes with it.

    >>> import numpy as np
    >>> import jensen
    >>> random = np.random.default_rng(0)
    >>> y = np.repeat(["dark", "light"], 40)
    >>> X = (random.integers(0, 60, (80, 32, 32, 3)) + 150 * (y == "light")[:, None, None, None]).astype("uint8")
    >>> model = jensen.Classifier(network="mlp", epochs=5, augment="none", val_fraction=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(self, loss: str = "gjs:pi1=0.5", network: Optional[str] = None, epochs: Optional[int] = None,
                 augment: Optional[str] = None, val_fraction: Optional[float] = None, seed: int = 1,
                 out: Optional[str] = None, options: Optional[dict[str, Any]] = None) -> None:
        self.loss, self.network, self.epochs, self.augment = loss, network, epochs, augment
        self.val_fraction, self.seed, self.out, self.options = val_fraction, seed, out, options

    _estimator_type = "classifier"  # scikit-learn before 1.6 asks for this, later ones for the tags below
    _names = ("loss", "network", "epochs", "augment", "val_fraction", "seed", "out", "options")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names."""
        return {name: getattr(self, name) for name in self._names}

    def set_params(self, **params: Any) -> "Classifier":
        """Sets parameters by their names."""
        for name, value in params.items():
            if name not in self._names:
                raise ValueError(f"no parameter {name!r} (there are: {', '.join(self._names)})")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"Classifier({', '.join(f'{n}={v!r}' for n, v in self.get_params().items() if v is not None)})"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks a classifier about itself."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True), transformer_tags=None,
                    classifier_tags=ClassifierTags(), regressor_tags=None, input_tags=InputTags(two_d_array=False))

    def __getstate__(self) -> dict[str, Any]:
        """With the files of a run in a temporary folder."""
        state = dict(vars(self))
        if "run_" in state and self.out is None:
            state["run_"] = _files(self.run_.path)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        files = state.get("run_")
        if isinstance(files, dict):
            folder = tempfile.TemporaryDirectory(prefix="jensen-")
            path = os.path.join(folder.name, "run")
            os.mkdir(path)
            for name, content in files.items():
                with open(os.path.join(path, name), "wb") as file:
                    file.write(content)
            self.run_ = Run(path)
            self.run_._folder = folder

    def fit(self, X: Any, y: Any) -> "Classifier":
        """Trains on images and their labels, of any type that can be sorted."""
        if y is None:
            raise ValueError("this Classifier requires y to be passed, but the target y is None")
        if not hasattr(X, "__len__"):
            raise TypeError(f"the images are a {type(X).__name__}; expected an array or a list, whose length is known")
        y = np.asarray(y)
        if y.ndim != 1 or len(y) != len(X):
            raise ValueError(f"{len(X)} images with labels of the shape {y.shape}")
        if y.dtype.kind == "f" and not (np.isfinite(y) & (y == np.floor(y))).all():
            raise ValueError("Unknown label type: the labels are real numbers; a classifier needs classes")
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError("the labels have one class; a classifier needs two")
        names = ("loss", "network", "epochs", "augment", "val_fraction", "seed")
        options = {**{name: getattr(self, name) for name in names}, **(self.options or {})}
        if self.out is not None:
            with _beside(self.out, X, codes) as data:
                run = train(f"csv:{_write_table(data, X, codes)},root=/", **{"out": self.out, **options})
        else:
            folder = tempfile.TemporaryDirectory(prefix="jensen-")
            table = _write_table(folder.name, X, codes)
            run = train(f"csv:{table},root=/", **{"out": os.path.join(folder.name, "run"), **options})
            run._folder = folder  # the run is good for as long as it is held
        self.classes_, self.run_ = classes, run
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities (samples, classes), in the order of ``classes_``."""
        if not hasattr(self, "run_"):
            raise _not_fitted()("this Classifier is not fitted yet; call fit first")
        order = np.argsort(self.run_.classes)
        return self.run_.predict(X)[:, order]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each image."""
        found = self.predict_proba(X)
        return self.classes_[found.argmax(1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the labels that are predicted; with ``sample_weight`` of the weights."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))
