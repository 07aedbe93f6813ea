"""Training, runs and the classifier: small runs on the built-in set."""
import _thread
import copy
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import jensen

DATA = "builtin:size=200,test=40"
SMALL = {"network": "mlp", "epochs": 3, "noise": "sym:rate=0.4", "batch": 32, "threads": 1}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    heard = []
    run = jensen.train(DATA, loss="gce:q=0.7", out=str(tmp_path_factory.mktemp("runs") / "a"), on_epoch=heard.append,
                       **SMALL)
    run.heard = heard
    return run


def test_a_run_is_heard_and_read(run):
    assert run.finished and [row["epoch"] for row in run.heard] == [1, 2, 3]
    assert np.allclose(run.metrics["loss"], [row["loss"] for row in run.heard])
    assert run.metrics["test_acc"][-1] == run.result["test_acc"] and np.isnan(run.metrics["val_acc"]).all()
    assert run.config["loss"] == "gce:q=0.7" and run.config["noise"] == "sym:rate=0.4"
    assert len(run.labels) == 200 and set(run.labels[0]) == {"path", "given", "used", "true"}
    assert run.doubtful and "predicted" in run.doubtful[0]
    assert len(run.classes) == 10 and run.classes[0] == "disc"
    assert all(np.isfinite(w).all() for w in run.weights().values())


def test_predictions_are_probabilities(run):
    images = np.random.default_rng(0).integers(0, 256, (3, 40, 30, 3), np.uint8)
    found = run.predict(images)
    assert found.shape == (3, 10) and np.allclose(found.sum(1), 1)
    assert np.array_equal(run.predict(images[1])[0], found[1])
    assert run.transform()(np.zeros((32, 32, 3), np.uint8), index=0).shape == (3, 32, 32)
    with pytest.raises(jensen.Error, match="nowhere"):
        run.predict("/nowhere.png")


def test_images_of_several_sizes_and_kinds(run, tmp_path):
    random = np.random.default_rng(1)
    given = [random.integers(0, 256, (h, w, 3), np.uint8) for h, w in ((40, 30), (16, 16), (9, 50))]
    want = np.stack([run.predict(image)[0] for image in given])
    assert np.array_equal(run.predict(given), want) and np.array_equal(run.predict(iter(given)), want)
    with pytest.raises(ValueError, match="it is a batch"):
        run.predict([np.stack([given[0], given[0]])])
    image_module = pytest.importorskip("PIL.Image")
    image = image_module.fromarray(given[0])
    turned = image.getexif()
    turned[0x0112] = 6  # held upright, as telephones are
    image.save(tmp_path / "turned.png", exif=turned)
    from_file = run.predict(tmp_path / "turned.png")
    assert np.array_equal(run.predict(image_module.open(tmp_path / "turned.png")), from_file)
    assert np.array_equal(run.predict(np.ascontiguousarray(np.rot90(given[0], -1))), from_file)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "P with transparency", "L with transparency", "L", "1", "I;16", "CMYK"])
def test_an_image_of_pillow_is_what_its_file_is(mode, run, tmp_path):
    image_module = pytest.importorskip("PIL.Image")
    random = np.random.default_rng(1)
    pixels = random.integers(0, 256, (40, 30, 4), np.uint8)
    pixels[:20] //= 64
    path, (kind, _, clear) = tmp_path / ("x.tif" if mode == "CMYK" else "x.png"), mode.partition(" with ")
    if kind == "I;16":
        image = image_module.fromarray(random.integers(0, 65536, (40, 30)).astype(np.uint16))
    else:
        image = image_module.fromarray(pixels, "RGBA" if kind == "RGBA" else None).convert(kind)
    try:
        image.save(path, **({"transparency": 3} if clear else {}))
        run.predict(path)
    except jensen.UnsupportedError as error:
        pytest.skip(str(error))
    opened, want = image_module.open(path), run.predict(path)
    assert np.array_equal(run.predict(opened), want)
    assert np.array_equal(jensen._run.pixels_of(opened)[0], np.frombuffer(jensen._run.pixels_of(path)[0], np.uint8).reshape(40, 30, 3))
    torch = pytest.importorskip("torch")
    model = run.model()
    with torch.no_grad():
        assert np.abs(model(model.transform(opened)[None]).softmax(1).numpy() - want).max() < 1e-6


def test_many_paths_at_once(run, tmp_path):
    random = np.random.default_rng(2)
    paths = []
    for i, (h, w) in enumerate([(40, 30), (16, 16), (9, 50)] * 30):
        paths.append(tmp_path / f"{i}.ppm")
        paths[-1].write_bytes(b"P6\n%d %d\n255\n" % (w, h) + random.integers(0, 256, (h, w, 3), np.uint8).tobytes())
    found = run.predict(paths)
    assert np.abs(found - np.stack([run.predict(path)[0] for path in paths])).max() < 1e-5
    paths[70].write_bytes(b"no image")
    with pytest.raises(jensen.DataError, match="70.ppm: "):
        run.predict(paths)
    with pytest.raises(jensen.DataError, match="nowhere.png: "):
        run.predict([str(paths[0]), "/nowhere.png"])
    assert run.predict([]).shape == (0, 10)
    with pytest.raises(TypeError):
        jensen._native.Classifier(run.path, "cpu", 1, 1, 1).predict_files(5, np.zeros(10))


def test_threads_take_turns_with_a_run(run):
    images = np.random.default_rng(0).integers(0, 256, (3, 64, 64, 3), np.uint8)
    want, wrong = run.predict(images), []

    def work():
        for _ in range(20):
            if not np.array_equal(run.predict(images), want):
                wrong.append(1)

    threads = [threading.Thread(target=lambda: work()) for _ in range(4)]
    caught = []
    hook, threading.excepthook = threading.excepthook, caught.append
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        threading.excepthook = hook
    assert not wrong and not caught


def test_a_run_is_pickled(run):
    image = np.zeros((32, 32, 3), np.uint8)
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        assert np.array_equal(other.predict(image), run.predict(image))


def test_a_run_is_a_module_of_pytorch(run, tmp_path):
    torch = pytest.importorskip("torch")
    model = run.model()
    images = np.random.default_rng(0).integers(0, 256, (3, 40, 30, 3), np.uint8)
    with torch.no_grad():
        found = model(torch.stack([model.transform(image) for image in images])).softmax(1)
    assert isinstance(model, torch.nn.Module) and not model.training and model.classes == run.classes
    assert np.abs(found.numpy() - run.predict(images)).max() < 1e-6
    assert set(model.state_dict()) == set(run.weights())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.load_state_dict({name: torch.from_numpy(weights) for name, weights in run.weights().items()})
    model.linear = torch.nn.Linear(256, 3)  # a head of one's own stays, whatever becomes of the module
    torch.save(model, tmp_path / "model.pt")
    loaded = torch.load(tmp_path / "model.pt", **({"weights_only": False} if hasattr(torch, "compiler") else {}))
    inputs = torch.randn(2, 3, 32, 32)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), loaded):
        assert torch.equal(other(inputs), model(inputs)) and not other.training and other.classes == run.classes
        assert torch.equal(other.transform(images[0]), model.transform(images[0]))
    code = "import pickle, sys; model = pickle.load(sys.stdin.buffer); print(model.transform.__name__, len(model.classes))"
    there = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(model), capture_output=True, check=True)
    assert there.stdout.split() == [b"transform", b"10"]
    run.export(tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").stat().st_size > 1000
    with pytest.raises(jensen.UnknownNameError, match="onnx, pytorch, safetensors"):
        run.export(tmp_path / "model", format="tflite")


def test_an_exception_stops_with_a_checkpoint_and_the_same_call_continues(run, tmp_path):
    class Enough(Exception):
        pass

    def stop(epoch):
        if epoch["epoch"] == 2:
            raise Enough

    options = {"loss": "gce:q=0.7", "out": str(tmp_path / "b"), **SMALL}
    with pytest.raises(Enough):
        jensen.train(DATA, on_epoch=stop, **options)
    stopped = jensen.Run(options["out"])
    assert not stopped.finished and os.path.exists(tmp_path / "b" / "checkpoint.safetensors")
    heard = []
    again = jensen.train(DATA, on_epoch=heard.append, **options)
    assert [row["epoch"] for row in heard] == [3]
    assert again.result["weights_sha256"] == run.result["weights_sha256"]


def test_ctrl_c_stops_with_a_checkpoint(tmp_path):
    out = str(tmp_path / "c")
    options = {**SMALL, "epochs": 5000}
    with pytest.raises(KeyboardInterrupt):
        jensen.train(DATA, out=out, on_epoch=lambda row: row["epoch"] == 2 and _thread.interrupt_main(), **options)
    assert os.path.exists(os.path.join(out, "checkpoint.safetensors")) and not jensen.Run(out).finished


def test_training_leaves_other_threads_running(tmp_path):
    counted = []
    done = threading.Event()

    def count():
        while not done.wait(0.001):
            counted.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    jensen.train(DATA, out=str(tmp_path / "d"), **SMALL)
    done.set()
    thread.join()
    assert len(counted) > 5


@pytest.mark.parametrize("options, sentence", [
    ({"los": "ce"}, "did you mean"), ({"loss": "cee"}, "did you mean"), ({"epochs": -1}, "epochs"),
    ({"data": "/nowhere/at/all"}, "nowhere")])
def test_wrong_options_are_said(options, sentence, tmp_path):
    with pytest.raises(jensen.Error, match=sentence):
        jensen.train(**{"data": DATA, "out": str(tmp_path / "e"), **options})


@pytest.mark.parametrize("options, sentence", [
    ({"data": np.zeros((2, 8, 8, 3), np.uint8)}, "jensen.Classifier takes arrays"), ({"on_epoch": 5}, "on_epoch is a function"),
    ({"lr": [0.1]}, "the option lr is"), ({"data": None}, "data is a path")])
def test_options_of_a_wrong_type_are_said(options, sentence, tmp_path):
    with pytest.raises(TypeError, match=sentence):
        jensen.train(**{"data": DATA, "out": str(tmp_path / "e"), **options})


def test_options_are_numbers_of_any_type(tmp_path):
    options = {**SMALL, "epochs": np.int64(1), "lr": np.float64(0.01), "weight_decay": np.float32(0.001), "nesterov": np.bool_(True)}
    run = jensen.train(DATA, out=pathlib.Path(tmp_path) / "f", **options)
    assert run.finished and float(run.config["lr"]) == 0.01 and run.config["nesterov"] == "1"


def test_the_run_of_a_classifier_is_there_without_it():
    X = np.random.default_rng(0).integers(0, 256, (20, 16, 16, 3), np.uint8)
    run = jensen.Classifier(network="mlp", epochs=1, augment="none", val_fraction=0).fit(X, np.arange(20) % 2).run_
    assert os.path.isdir(run.path) and run.predict(X).shape == (20, 2)
    folder = run.path
    del run
    assert not os.path.exists(folder)


def test_a_run_that_is_not_finished_says_so(tmp_path):
    def stop(record):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        jensen.train(DATA, out=str(tmp_path / "half"), on_epoch=stop, **SMALL)
    run = jensen.Run(tmp_path / "half")
    assert not run.finished and len(run.metrics["loss"]) == 1 and len(run.labels) == 200 and run.classes[0] == "disc"
    for ask in (lambda: run.result, lambda: run.doubtful, run.weights, run.model, lambda: run.predict("x.png")):
        with pytest.raises(jensen.DataError, match="not finished"):
            ask()


@pytest.mark.parametrize("name, ask", [
    ("result.json", lambda run: run.result), ("config.yaml", lambda run: run.config), ("labels.csv", lambda run: run.labels),
    ("metrics.csv", lambda run: run.metrics), ("doubtful.csv", lambda run: run.doubtful),
    ("model.json", lambda run: run.classes), ("model.json", lambda run: run.transform()),
    ("model.safetensors", lambda run: run.weights())])
def test_damaged_files_of_a_run_are_said(name, ask, run, tmp_path):
    copied = tmp_path / "copied"
    shutil.copytree(run.path, copied)
    damaged = jensen.Run(os.fsencode(copied))
    (copied / name).write_bytes(b"\xff" * 8 + b'{"x": 1}\n')
    with pytest.raises(jensen.DataError, match=f"{name}: damaged: (?!.*damaged)"):
        ask(damaged)
    if name != "config.yaml":
        (copied / name).unlink()
        with pytest.raises(jensen.DataError, match=f"the run has no {name}: it"):
            ask(damaged)


@pytest.mark.parametrize("header", [
    b'{"x": {"dtype": "F32", "shape": [9], "data_offsets": [0, 400]}}', b"[1]", b'{"x": 5}', b"{",
    b'{"x": {"dtype": "F8", "shape": [1], "data_offsets": [0, 1]}}'])
def test_weights_that_are_not_there_are_said(header, run, tmp_path):
    shutil.copytree(run.path, tmp_path / "copied")
    (tmp_path / "copied" / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(jensen.DataError, match="model.safetensors: damaged"):
        jensen.Run(tmp_path / "copied").weights()


def test_half_a_row_of_metrics_is_none(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "copied")
    path = tmp_path / "copied" / "metrics.csv"
    path.write_bytes(path.read_bytes()[:-200])
    found = jensen.Run(tmp_path / "copied").metrics
    assert len(found["loss"]) == 2 and all(np.array_equal(v, run.metrics[n][:2], equal_nan=True) for n, v in found.items())


def test_an_ensemble_has_members(run, tmp_path):
    both = jensen.train(DATA, out=tmp_path / "both", members=2, **{**SMALL, "epochs": 1})
    assert run.members == [] and len({m.result["weights_sha256"] for m in both.members}) == 2
    image = np.zeros((32, 32, 3), np.uint8)
    assert np.allclose(both.predict(image), np.mean([m.predict(image) for m in both.members], 0))
    assert len(both.members[1].metrics["loss"]) == 1 and both.members[1].weights()
    for ask in (lambda: both.metrics, lambda: both.doubtful, both.weights):
        with pytest.raises(jensen.DataError, match="its members have one"):
            ask()


def test_no_run_is_said(tmp_path):
    with pytest.raises(jensen.DataError, match="no run folder"):
        jensen.Run(str(tmp_path))


def test_a_classifier_learns_bright_from_dark():
    random = np.random.default_rng(0)
    y = np.repeat(["dark", "light"], 40)
    X = (random.integers(0, 60, (80, 32, 32, 3)) + 150 * (y == "light")[:, None, None, None]).astype(np.uint8)
    model = jensen.Classifier(network="mlp", epochs=5, augment="none", val_fraction=0.0)
    assert model.get_params()["epochs"] == 5
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(X)
    assert model.fit(X, y).score(X, y) > 0.9
    assert np.allclose(model.predict_proba(X[:3]).sum(1), 1)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X[:3], y[:3])
    with pytest.raises(ValueError, match="no parameter"):
        model.set_params(speed=1)
    assert model.score(X, y, sample_weight=np.arange(80)) > 0.8
    with pytest.raises(TypeError, match="length"):
        model.fit((image for image in X), y)


def test_images_may_come_in_a_series_with_an_index_of_its_own():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).integers(0, 256, (20, 16, 16, 3), np.uint8)
    series = pandas.Series(list(X), index=range(100, 120))
    model = jensen.Classifier(network="mlp", epochs=1, augment="none", val_fraction=0, options={"epochs": 2})
    fitted = model.fit(series, pandas.Series(np.arange(20) % 2))
    assert len(fitted.predict(series)) == 20 and fitted.run_.config["epochs"] == "2"


def test_the_same_fit_into_a_folder_continues_and_other_images_are_refused(tmp_path):
    X, y = np.random.default_rng(0).integers(0, 256, (20, 16, 16, 3), np.uint8), np.arange(20) % 2
    heard = []

    def hear(record):
        heard.append(record["epoch"])
        if len(heard) == 1:
            raise KeyboardInterrupt

    model = jensen.Classifier(network="mlp", augment="none", val_fraction=0, epochs=3, out=str(tmp_path / "run"),
                              options={"batch": 8, "on_epoch": hear})
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert os.listdir(tmp_path) == ["run"]
    assert model.fit(X, y).run_.finished and model.fit(X, y).score(X, y) >= 0 and heard == [1, 2, 3]
    with pytest.raises(jensen.ArgumentError, match="other options: --data"):
        model.fit(X[::-1], y)
