"""Studies: many runs in one store, as ``jensen sweep`` and ``jensen tune`` make them."""
from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._array import text, text_or_none, whole
from ._run import Path, Run, option_text

_STORE = "sqlite:///jensen.db"


@dataclass(frozen=True, eq=False)
class Trial:
    """A run of a study: planned, running or ended."""

    number: int
    state: str
    """"waiting", "running", "complete", "pruned" or "failed" """
    value: float
    """of what the study maximises; NaN: none yet"""
    measured: str
    """what the value is, "val_acc_noisy" for example"""
    options: dict[str, str]
    """what the study chose for this run, as text"""
    facts: dict[str, str]
    """what came out, as text: "run" (its folder), "test_acc", "seconds", "failure" ..."""
    curve: np.ndarray
    """the value after epoch 1, 2, ...; NaN where it was not measured"""

    def run(self) -> Run:
        """Its run folder."""
        if "run" not in self.facts:
            raise _native.DataError(f"trial {self.number} has no run folder: it is {self.state}")
        return Run(self.facts["run"])


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """The trials of a study as they were when it was loaded."""

    name: str
    objective: str
    trials: list[Trial]
    best: list[Trial]
    """the trials of the best configuration, one for every seed"""

    def __repr__(self) -> str:
        states = [trial.state for trial in self.trials]
        counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
        return f"Study({self.name!r}, objective={self.objective!r}, {counts or 'no trials'})"

    def frame(self) -> Any:
        """The trials as a frame of pandas: options and facts as columns, numbers as numbers."""
        import pandas

        frame = pandas.DataFrame([{"number": t.number, "state": t.state, "value": t.value, **t.options, **t.facts}
                                  for t in self.trials])
        for name in frame.columns:
            try:
                frame[name] = pandas.to_numeric(frame[name])
            except (TypeError, ValueError):
                pass
        return frame


def _store(store: Optional[str]) -> str:
    return _STORE if store is None else text("the store", store)


def _values(name: str, values: Any) -> Union[str, list[str]]:
    """The values of an axis, or its range."""
    if isinstance(values, str):
        return values
    if not isinstance(values, (Sequence, np.ndarray)) or len(values) == 0:
        raise TypeError(f"the axis {name} is a list of values, or a range such as 'log:0.001..0.1', not {values!r}")
    return [option_text(name, value) for value in values]


def create_study(name: str, data: Path, axes: Optional[Mapping[str, Any]] = None, *, store: Optional[str] = None,
                 **options: Any) -> Study:
    """Makes the study ``name`` with its trials, as ``jensen sweep create`` does. :func:`run_study` does the runs.

    ``axes`` has the values of each option that differs between the trials. The other options are those of
    :func:`train`, which all trials share, and those of ``jensen sweep create``: ``seeds=3``,
    ``search="random"`` with ``trials=20`` and ranges such as ``{"lr": "log:0.001..0.1"}``,
    ``pruner="median"``, ``objective="val_acc"``.

    >>> import jensen, tempfile
    >>> store = f"sqlite:///{tempfile.mkdtemp()}/studies.db"
    >>> axes = {"loss": ["ce", "gjs:pi1=0.5"], "lr": [0.01, 0.1]}
    >>> study = jensen.create_study("first", "builtin:size=200", axes, store=store, epochs=2, seeds=3)
    >>> len(study.trials), study.trials[0].options
    (12, {'loss': 'ce', 'lr': '0.01', 'seed': '1'})
    """
    if "preset" in options:
        raise ValueError("the searches of the paper are made by the program: jensen sweep create --preset")
    if axes is not None and not isinstance(axes, Mapping):
        raise TypeError(f"axes is a dict of options and their values, not {axes!r}")
    if not axes and whole("seeds", options.get("seeds", 1), 1, 1000) < 2:
        raise ValueError("a study needs axes, such as {'lr': [0.01, 0.1]}, or seeds")
    plan: dict[str, Any] = {"data": option_text("data", os.fspath(data))}
    plan.update({key.replace("_", "-"): option_text(key, value) for key, value in options.items() if value is not None})
    plan["axes"] = {key.replace("_", "-"): _values(key, values) for key, values in (axes or {}).items()}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(plan, file)
        try:
            _native.study_create(_store(store), text("the name of a study", name), path)
        except _native.Error as error:
            raise type(error)(str(error).replace(f"{path}:1: ", "")) from None
    return load_study(name, store)


def run_study(name: str, *, store: Optional[str] = None, folder: Path = "runs", threads: int = 0,
              device: Optional[str] = None, retry: bool = False, on_run: Optional[Callable[[Run], Any]] = None) -> Study:
    """Does the runs of a study that are left, as ``jensen sweep run`` does, and returns the study.

    The run folders go below ``folder``. ``threads`` is how many each run uses (0: all cores), ``retry`` tries
    failed trials again. ``on_run`` hears of every run that has ended. Ctrl-C, and an exception of ``on_run``,
    stop with a checkpoint; the same call continues. Several processes may work on a study at once.
    """
    if on_run is not None and not callable(on_run):
        raise TypeError(f"on_run is a function that gets a run, not {on_run!r}")
    _native.study_run(_store(store), text("the name of a study", name), os.fsdecode(folder),
                      whole("threads", threads, 0, 1024), text_or_none("device", device), bool(retry),
                      None if on_run is None else lambda path: on_run(Run(path)))
    return load_study(name, store)


def load_study(name: str, store: Optional[str] = None) -> Study:
    """Reads the study ``name`` of a store: ``sqlite:///jensen.db`` (the default), or any
    address that ``jensen sweep --store`` takes. Nothing is written.

    >>> import jensen
    >>> jensen.load_study("first", "sqlite:///no/such.db")    # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    jensen.DataError: ...
    """
    name, objective, rows, best = _native.study(_store(store), text("the name of a study", name))
    trials = [Trial(*row[:-1], np.array(row[-1])) for row in rows]
    return Study(name, objective, trials, [trials[i] for i in best])
