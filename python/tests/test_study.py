"""Studies, beside what SQLite itself reads from the store of the paper's results."""
import lzma
import os
import sqlite3

import numpy as np
import pytest

import jensen

STORE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "results", "studies.db.xz")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "studies.db"
    with lzma.open(STORE) as packed:
        path.write_bytes(packed.read())
    return path


def test_trials_are_what_the_store_holds(store):
    with sqlite3.connect(store) as base:
        names = [row[0] for row in base.execute("select study_name from studies")]
        values = dict(base.execute("select number, value from trials join trial_values using (trial_id) "
                                   "join studies using (study_id) where study_name = ?", (names[0],)))
        curve = [row[0] for row in base.execute("select intermediate_value from trial_intermediate_values "
                                                "join trials using (trial_id) where number = 0 order by step")]
    study = jensen.load_study(names[0], f"sqlite:///{store}")
    complete = {t.number: t.value for t in study.trials if t.state == "complete"}
    assert study.name == names[0] and study.objective == "test_acc" and values and complete == values
    assert np.array_equal(study.trials[0].curve, curve)
    assert study.best and study.best[0].value == max(complete.values())
    assert float(study.trials[0].facts["test_acc"]) == study.trials[0].value
    assert study.trials[0].options["recipe"].startswith("cifar10/")
    with pytest.raises(jensen.DataError, match="config.yaml"):
        study.trials[0].run()


def test_what_is_not_there_is_an_error(store, tmp_path):
    with pytest.raises(jensen.Error, match="no study"):
        jensen.load_study("nothing", f"sqlite:///{store}")
    with pytest.raises(jensen.DataError, match="database does not exist"):
        jensen.load_study("first", f"sqlite:///{tmp_path}/none.db")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + bytes(4096))
    with pytest.raises(jensen.Error):
        jensen.load_study("first", f"sqlite:///{broken}")
    with pytest.raises((TypeError, ValueError)):
        jensen.load_study("a\0b", f"sqlite:///{store}")
