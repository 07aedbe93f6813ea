"""Runs: training them, and what a finished one holds and knows."""
from __future__ import annotations

import csv
import functools
import itertools
import json
import os
import sys
import tempfile
import threading
import types
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

import numpy as np

from . import _native
from ._array import text
from ._augment import Augment, as_batch


Path = Union[str, os.PathLike[str]]


class Run:
    """A run folder, as ``jensen train`` or :func:`train` wrote it."""

    def __init__(self, path: Path) -> None:
        self.path = os.fsdecode(path)
        if not os.path.isfile(os.path.join(self.path, "config.yaml")):
            raise _native.DataError(f"{self.path}: no run folder: it has no config.yaml")
        self._opened: Optional[_native.Classifier] = None
        self._turn = threading.Lock()
        self._folder: Any = None

    def __repr__(self) -> str:
        return f"jensen.Run({self.path!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path, self._opened, self._turn, self._folder = state["path"], None, threading.Lock(), None

    def _file(self, name: str) -> str:
        return os.path.join(self.path, name)

    @contextmanager
    def _reading(self, name: str) -> Iterator[str]:
        """The path of a file; says what is wrong with the run where it cannot be read."""
        path = self._file(name)
        try:
            yield path
        except _native.Error:
            raise
        except FileNotFoundError:
            about = "it lacks this file" if self.finished else "it is not finished; the call that started it continues it"
            about = "its members have one (Run.members)" if self.members else about
            raise _native.DataError(f"{self.path}: the run has no {name}: {about}") from None
        except OSError as error:
            raise _native.FileError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, csv.Error) as error:
            raise _native.DataError(f"{path}: damaged: {error}") from None

    def _json(self, name: str) -> dict[str, Any]:
        with self._reading(name) as path, open(path, encoding="utf-8") as file:
            return dict(json.load(file))

    def _rows(self, name: str) -> list[dict[str, str]]:
        with self._reading(name) as path, open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def finished(self) -> bool:
        """Whether the run has ended; one that was stopped has not."""
        return os.path.isfile(self._file("result.json"))

    @property
    def members(self) -> list["Run"]:
        """The runs of an ensemble, with metrics and weights of their own; none of a single run."""
        places = (self._file(f"member-{number}") for number in itertools.count(1))
        return [Run(path) for path in itertools.takewhile(os.path.isdir, places)]

    @property
    def config(self) -> dict[str, str]:
        """Every option of the run, as text."""
        options = {}
        with self._reading("config.yaml") as path, open(path, encoding="utf-8") as file:
            for line in file:
                name, colon, text = line.rstrip("\n").partition(": ")
                if colon and not line.startswith(("#", " ")):
                    options[name] = json.loads(text) if text.startswith('"') else text
        return options

    @property
    def metrics(self) -> dict[str, np.ndarray]:
        """By name: a number an epoch, NaN where it was not measured."""
        with self._reading("metrics.csv") as path, open(path, encoding="utf-8", newline="") as file:
            lines = [line for line in file if line.endswith("\n")]  # a row is being written, or was cut off
            rows = list(csv.DictReader(lines))
            return {name: np.array([float(row[name] or "nan") for row in rows]) for name in (rows[0] if rows else {})}

    def frame(self) -> Any:
        """The metrics as a frame of pandas."""
        import pandas

        return pandas.DataFrame(self.metrics)

    @property
    def result(self) -> dict[str, Any]:
        """What the run ended with: accuracies, noise, time, the hash of its weights."""
        return self._json("result.json")

    @property
    def labels(self) -> list[dict[str, str]]:
        """The labels trained on: path, given, used, true."""
        return self._rows("labels.csv")

    @property
    def doubtful(self) -> list[dict[str, str]]:
        """The labels that the network doubts most: path, label, predicted and so on."""
        return self._rows("doubtful.csv")

    def _classifier(self) -> _native.Classifier:
        if self._opened is None:
            self._opened = _native.Classifier(self.path, "auto", 0, 64, 1)
        return self._opened

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of the probabilities."""
        with self._reading("model.json"):
            return [text("the name of a class", name) for name in self._json("model.json")["classes"]]

    def transform(self, train: bool = False) -> Augment:
        """What images go through before the network reads them; with ``train`` as in training."""
        with self._reading("model.json"):
            card = self._json("model.json")
            return Augment(card["augment" if train else "evaluation"], size=card["image_size"],
                           mean=card["mean"], std=card["deviation"])

    def predict(self, images: Any) -> np.ndarray:
        """Class probabilities (images, classes) of paths or of uint8 images, of any sizes.

        ``images`` is one image, an array of them or anything that can be iterated over: paths, arrays and
        tensors of (height, width, 3) or (3, height, width), images of Pillow. These are read as
        their files are: turned as the camera says, and laid over white. Many paths at once are
        fastest: all cores read them. Threads take turns.
        """
        single = isinstance(images, (str, os.PathLike)) or hasattr(images, "convert") or getattr(images, "ndim", 0) == 3
        given = [images] if single else list(images)
        with self._turn:
            classifier = self._classifier()
            out = np.empty((len(given), len(classifier.classes())))
            if len(given) > 1 and all(isinstance(image, (str, os.PathLike)) for image in given):
                classifier.predict_files([os.fspath(image) for image in given], out)
                return out
            for image, row in zip(given, out):
                pixels, height, width = pixels_of(image)
                classifier.predict(pixels, height, width, row)
        return out

    def export(self, path: Path, format: str = "onnx") -> None:
        """Writes the model for other programs, as ``jensen export`` does: onnx, pytorch, safetensors."""
        self._classifier().export(os.fspath(path), format)

    def model(self) -> Any:
        """The network as a ``torch.nn.Module`` with its weights, for evaluation.

        It reads a normalised batch (N, 3, size, size) and gives logits. ``model.transform(image)`` makes an
        image of such a batch, ``model.classes`` are the names. Of an ensemble the logits are logarithms of
        the mean probabilities.
        """
        return as_module(self._classifier())

    def weights(self) -> dict[str, np.ndarray]:
        """The weights as arrays by PyTorch's names.

        ``module.load_state_dict({name: torch.from_numpy(w) for name, w in run.weights().items()})`` takes them.
        """
        types = {"F32": np.float32, "F64": np.float64, "I64": np.int64, "I32": np.int32}
        with self._reading("model.safetensors") as path, open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > os.fstat(file.fileno()).st_size:
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(length))
            data = memoryview(bytearray(file.read()))  # not bytes: the arrays can be written to
            return {name: np.frombuffer(data[slice(*row["data_offsets"])], types[row["dtype"]]).reshape(row["shape"])
                    for name, row in header.items() if name != "__metadata__"}


@functools.lru_cache(maxsize=64)
def _code(source: str) -> types.ModuleType:
    """The module that an exported model.py is. Its networks take it along when they are pickled."""
    import torch

    module = types.ModuleType("jensen_model")
    module.__dict__["__file__"] = "jensen_model.py"
    exec(compile(source, "jensen_model.py", "exec"), module.__dict__)

    def reduce(self: Any, protocol: Any) -> tuple[Any, ...]:
        state = dict(vars(self))
        helped = state.get("transform") is module.__dict__["transform"]
        if helped:
            del state["transform"]
        return _empty, (source, type(self).__name__, helped), state

    for value in list(vars(module).values()):
        if isinstance(value, type) and issubclass(value, torch.nn.Module):
            value.__reduce_ex__ = reduce  # type: ignore[method-assign]
    return module


def _empty(source: str, name: str, helped: bool) -> Any:
    """A network, or a part of one, before its state is set."""
    module = _code(source)
    kind = getattr(module, name)
    made = kind.__new__(kind)
    if helped:
        made.__dict__["transform"] = module.__dict__["transform"]
    return made


def as_module(classifier: _native.Classifier) -> Any:
    """A classifier as a module of PyTorch, through the files of ``jensen export --format pytorch``."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.py")
        classifier.export(path, "pytorch")
        with open(path, encoding="utf-8") as file:
            return _code(file.read()).load(folder)


def _of_pillow(image: Any) -> Any:
    """An image of Pillow as the program reads its file: turned as the camera says, laid over white, 16 bits as 8."""
    from PIL import ImageOps  # whoever has such an image has Pillow

    deep = image.mode.startswith("I;16") or image.mode == "I" and image.format == "PNG"
    clear = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    image = ImageOps.exif_transpose(image)
    if deep:
        grey = (np.asarray(image.convert("I")).clip(0, 65535).astype(np.int64) * 255 + 32895) >> 16
        return np.repeat(grey[..., None], 3, -1).astype(np.uint8)
    if clear:
        pixels = np.asarray(image.convert("RGBA")).astype(np.int32)
        alpha = pixels[..., 3:]
        return ((pixels[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    return image


def pixels_of(image: Any) -> tuple[Any, int, int]:
    """uint8 [height][width][3] of one image, as the program sees it; height and width."""
    if isinstance(image, (str, os.PathLike)):
        return _native.read_image(os.fspath(image))
    if hasattr(image, "getexif"):
        image = _of_pillow(image)
    batch, single = as_batch(image)
    if not single:
        raise ValueError(f"an image has the shape {batch.shape}: it is a batch; expected (height, width, 3) or "
                         "(3, height, width)")
    return batch[0], batch.shape[1], batch.shape[2]


def option_text(name: str, value: Any) -> str:
    """A value as the program's options have it."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if isinstance(value, float) else str(value)
    if isinstance(value, (str, int, np.integer, os.PathLike)):
        return str(value)
    raise TypeError(f"the option {name} is a text or a number, not {value!r}")


class _Progress:
    """A bar of tqdm, where there is tqdm."""

    def __init__(self, wanted: bool) -> None:
        self.bar = None
        if wanted:
            try:
                from tqdm.auto import tqdm

                self.bar = tqdm(unit="step", leave=False)
            except ImportError:
                pass

    def step(self, record: dict[str, Any]) -> None:
        if self.bar is not None:
            self.bar.total = record["steps"]
            self.bar.n = record["step"]
            self.bar.set_description(f"epoch {record['epoch']}/{record['epochs']} loss {record['loss']:.4f}")

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def train(data: Path, *, on_epoch: Optional[Callable[[dict[str, Any]], Any]] = None,
          progress: Optional[bool] = None, **options: Any) -> Run:
    """Trains on ``data``, or continues, as ``jensen train DATA`` does, and returns the run.

    The options are those of the program with ``_`` for ``-``: ``loss="gjs:pi1=0.5"``,
    ``noise="sym:rate=0.4"``, ``epochs=60``, ``out="runs/mine"``. ``on_epoch`` hears of every epoch as a
    dict of numbers (loss, train_acc, val_acc, test_acc ...). ``progress`` is a bar of tqdm; on a terminal
    it is there by itself, in a notebook ``progress=True`` shows it. Ctrl-C, and an exception of ``on_epoch``,
    stop the run with a checkpoint; the same call continues it.

    >>> import jensen, tempfile, os
    >>> out = os.path.join(tempfile.mkdtemp(), "run")
    >>> run = jensen.train("builtin:size=200,test=50", network="mlp", epochs=1, out=out)
    >>> run.finished, len(run.metrics["loss"]), len(run.classes)
    (True, 1, 10)
    """
    if on_epoch is not None and not callable(on_epoch):
        raise TypeError(f"on_epoch is a function that gets a dict, not {on_epoch!r}")
    if not isinstance(data, (str, os.PathLike)):
        raise TypeError("data is a path or the name of a data set, not "
                        f"{type(data).__name__}; jensen.Classifier takes arrays of images")
    pairs = [("data", text("data", os.fspath(data)))]
    pairs += [(name.replace("_", "-"), option_text(name, value)) for name, value in options.items() if value is not None]
    bar = _Progress(sys.stderr.isatty() if progress is None else progress)

    def hear(kind: str, record: dict[str, Any]) -> None:
        if kind == "step":
            bar.step(record)
        elif kind == "epoch" and on_epoch is not None:
            on_epoch(record)

    try:
        result = json.loads(_native.train(pairs, hear))
    finally:
        bar.close()
    return Run(result["run"])
