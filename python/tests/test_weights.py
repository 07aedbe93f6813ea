"""Pretrained weights in the cache: imported, fetched from a server on this machine, listed, removed."""
import functools
import hashlib
import http.server
import pathlib
import threading
import warnings

import pytest

import jensen
import jensen.weights


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The weights of a run, and a cache of one's own."""
    monkeypatch.setenv("JENSEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    jensen.train("builtin:size=40,test=10", network="cnn:width=8", image_size=32, epochs=1, max_steps=1, batch=10,
                 device="ref", threads=1, out="run")
    return tmp_path / "run" / "model.safetensors"


def test_weights_are_kept_under_a_name(file):
    assert jensen.weights.available() == []
    got = jensen.weights.import_file(file, name="mine")
    assert (got.name, got.network, got.classes, got.image_size) == ("mine", "cnn:width=8", 10, 32)
    assert got.source == "model.safetensors" and got.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert len(got.mean) == len(got.deviation) == 3 and all(d > 0 for d in got.deviation)
    assert jensen.weights.import_file(str(file), name="mine") == got
    assert jensen.weights.import_file(file).name == "cnn-width-8"
    assert [w.name for w in jensen.weights.available()] == ["cnn-width-8", "mine"]
    run = jensen.train("builtin:size=40,test=10", init="mine", epochs=1, max_steps=1, batch=10, device="ref", threads=1)
    assert run.config["init"] == "mine"
    jensen.weights.remove("mine")
    assert [w.name for w in jensen.weights.available()] == ["cnn-width-8"]
    with pytest.raises(jensen.DataError, match="no weights 'mine'"):
        jensen.weights.remove("mine")


def test_damaged_weights_are_told_of_and_can_be_removed(file, tmp_path):
    jensen.weights.import_file(file, name="mine")
    jensen.weights.import_file(file, name="broken")
    (tmp_path / "cache" / "weights" / "broken" / "model.json").write_text("{")
    with pytest.warns(RuntimeWarning, match="the weights 'broken' in the cache are damaged"):
        assert [w.name for w in jensen.weights.available()] == ["mine"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="broken"):
            jensen.weights.available()
    jensen.weights.remove("broken")
    assert [w.name for w in jensen.weights.available()] == ["mine"]


def test_what_is_no_file_of_weights_is_refused(file, tmp_path):
    (tmp_path / "x.pth").write_bytes(b"no weights")
    for path in ("x.pth", "nowhere.safetensors", tmp_path):
        with pytest.raises(jensen.Error):
            jensen.weights.import_file(path)
    with pytest.raises(jensen.ArgumentError, match="a name has letters"):
        jensen.weights.import_file(file, name="../evil")
    for wrong in (None, 3, "a\0b"):
        with pytest.raises((TypeError, ValueError)):
            jensen.weights.import_file(wrong)
    assert jensen.weights.available() == []


def test_weights_are_fetched_by_their_sum(file):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=file.parent)
    handler.log_message = lambda *ignored: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/model.safetensors"
        total = hashlib.sha256(file.read_bytes()).hexdigest()
        with pytest.raises(jensen.ArgumentError, match="a URL needs --sha256"):
            jensen.weights.fetch(url)
        with pytest.raises(jensen.DataError, match="is another file"):
            jensen.weights.fetch(url, sha256="0" * 64)
        got = jensen.weights.fetch(url, sha256=total, name="far")
        assert (got.name, got.source, got.sha256) == ("far", "model.safetensors", total)
        with pytest.raises(jensen.NetworkError):
            jensen.weights.fetch(url + ".not", sha256=total)
    finally:
        server.shutdown()
        server.server_close()
    with pytest.raises(jensen.UnknownNameError):
        jensen.weights.fetch("resnet18x")


def test_a_finished_run_has_its_page(file):
    assert (pathlib.Path("run") / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize("call, sentence", [
    (lambda: jensen.weights.fetch(5), "what to fetch is a text"), (lambda: jensen.weights.remove(None), "the name is a text"),
    (lambda: jensen.weights.fetch("resnet50", sha256=5), "sha256 is a text"),
    (lambda: jensen.weights.import_file("x.pth", 5), "the name is a text")])
def test_what_is_no_text_is_named(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call()
