"""Studies: many runs in one store, as ``jensen sweep`` and ``jensen tune`` make them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _native
from ._run import Run


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


@dataclass(frozen=True, eq=False)
class Study:
    """The trials of a study as they were when it was loaded."""

    name: str
    objective: str
    trials: list[Trial]
    best: list[Trial]
    """the trials of the best configuration, one for every seed"""

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


def load_study(name: str, store: Optional[str] = None) -> Study:
    """Reads the study ``name`` of a store: ``sqlite:///jensen.db`` (the default), or any
    address that ``jensen sweep --store`` takes. Nothing is written.

    >>> import jensen
    >>> jensen.load_study("first", "sqlite:///no/such.db")    # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    jensen.DataError: ...
    """
    name, objective, rows, best = _native.study("sqlite:///jensen.db" if store is None else store, name)
    trials = [Trial(*row[:-1], np.array(row[-1])) for row in rows]
    return Study(name, objective, trials, [trials[i] for i in best])
