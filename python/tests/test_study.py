"""Studies, beside what SQLite itself reads from the store of the paper's results."""
import lzma
import os
import sqlite3
import subprocess
import sys

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
                                                "join trials using (trial_id) join studies using (study_id) "
                                                "where study_name = ? and number = 0 order by step", (names[0],))]
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


DATA = "builtin:size=60,test=20"
SMALL = {"network": "mlp", "epochs": 2, "batch": 30, "threads": 1}


def test_a_study_is_made_and_its_runs_are_done(tmp_path):
    store, heard = f"sqlite:///{tmp_path}/studies.db", []
    study = jensen.create_study("first", DATA, {"loss": ["ce", "nce+rce:alpha=1,beta=2"], "weight_decay": [0, 1e-4]},
                                store=store, seeds=np.int64(2), **SMALL)
    assert [t.options for t in study.trials[:3]] == [
        {"loss": "ce", "weight-decay": "0", "seed": "1"}, {"loss": "ce", "weight-decay": "0", "seed": "2"},
        {"loss": "ce", "weight-decay": "0.0001", "seed": "1"}]
    assert repr(study) == "Study('first', objective='auto', 8 waiting)"
    study = jensen.run_study("first", store=store, folder=tmp_path / "runs", on_run=heard.append)
    assert repr(study) == "Study('first', objective='auto', 8 complete)"
    assert [run.path for run in heard] == [t.run().path for t in study.trials]
    assert all(t.value == t.run().result["test_acc"] and t.run().config["batch"] == "30" for t in study.trials)
    heard.clear()
    assert jensen.run_study("first", store=store, on_run=heard.append).best[0].value >= study.trials[0].value
    assert heard == []
    # The run of a trial is that of the same options alone.
    alone = jensen.train(DATA, loss="ce", weight_decay=0, seed=2, out=tmp_path / "alone", **SMALL)
    assert alone.result["weights_sha256"] == study.trials[1].run().result["weights_sha256"]


def test_what_stops_a_study_is_raised_and_the_same_call_goes_on(tmp_path):
    def stop(run):
        raise KeyError(run.path)

    store = f"sqlite:///{tmp_path}/studies.db"
    jensen.create_study("first", DATA, store=store, seeds=2, **SMALL)
    with pytest.raises(KeyError, match="trial-00000"):
        jensen.run_study("first", store=store, folder=tmp_path / "runs", on_run=stop)
    assert [t.state for t in jensen.load_study("first", store).trials] == ["complete", "waiting"]
    study = jensen.run_study("first", store=store, folder=tmp_path / "runs")
    assert [t.state for t in study.trials] == ["complete", "complete"]


def test_ctrl_c_gives_a_trial_back(tmp_path):
    code = f"""
import os, signal, threading, time, jensen
jensen.create_study("long", {DATA!r}, seeds=2, network="mlp", epochs=100000)
def interrupt():
    while not os.path.exists("runs/long/trial-00000/metrics.jsonl"):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    jensen.run_study("long", threads=1)
except KeyboardInterrupt:
    print([t.state for t in jensen.load_study("long").trials], os.path.exists("runs/long/trial-00000/checkpoint.safetensors"))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.stdout.split("\n")[0] == "['waiting', 'waiting'] True", done.stderr


@pytest.mark.parametrize("given, error, sentence", [
    ({}, ValueError, "a study needs axes"),
    ({"axes": ["lr"]}, TypeError, "axes is a dict"),
    ({"axes": {"lr": 0.1}}, TypeError, "the axis lr is a list"),
    ({"axes": {"lr": []}}, TypeError, "the axis lr is a list"),
    ({"axes": {"lr": [None]}}, TypeError, "the option lr"),
    ({"axes": {"lr": [0.1]}, "epoks": 3}, jensen.UnknownNameError, "^no option 'epoks'"),
    ({"axes": {"los": ["ce"]}}, jensen.UnknownNameError, "^no option 'los'; did you mean 'loss'"),
    ({"axes": {"loss": ["cee"]}}, jensen.UnknownNameError, "did you mean 'ce'"),
    ({"axes": {"lr": "log:0.01..0.1"}}, jensen.ArgumentError, "a range needs"),
    ({"axes": {"lr": [0.1]}, "data": "nowhere/"}, jensen.DataError, "nowhere"),
    ({"axes": {"lr": [0.1]}, "name": 5}, TypeError, "the name of a study is a text"),
    ({"preset": "two-stage"}, ValueError, "--preset"),
])
def test_what_makes_no_study_is_said(given, error, sentence, tmp_path):
    with pytest.raises(error, match=sentence):
        jensen.create_study(**{"name": "first", "data": DATA, "store": f"sqlite:///{tmp_path}/studies.db", **given})
    with pytest.raises(jensen.Error):
        jensen.load_study("first", f"sqlite:///{tmp_path}/studies.db")
    with pytest.raises(TypeError, match="on_run is a function"):
        jensen.run_study("first", on_run=5)


def test_random_search_draws_from_ranges(tmp_path):
    study = jensen.create_study("wide", DATA, {"lr": "log:0.001..0.1", "batch": "32..64"}, search="random", trials=5,
                                store=f"sqlite:///{tmp_path}/studies.db")
    assert len(study.trials) == 5 and all(0.001 <= float(t.options["lr"]) <= 0.1 for t in study.trials)
    with pytest.raises(jensen.ArgumentError, match="there is a study 'wide' already"):
        jensen.create_study("wide", DATA, seeds=2, store=f"sqlite:///{tmp_path}/studies.db")
