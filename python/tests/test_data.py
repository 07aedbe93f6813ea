"""Augmentation, label noise, theory and audit: beside the golden values and what follows from their definitions."""
import pathlib

import numpy as np
import pytest

import golden
import jensen
import jensen.noise
import jensen.theory


def images(count=6, height=32, width=32, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (count, height, width, 3), np.uint8)


def test_an_image_is_augmented_by_its_place_alone():
    batch = images(40)
    pipeline = jensen.augment("strong", views=2)
    whole = pipeline(batch, seed=3, epoch=2, index=range(100, 140))
    assert whole.shape == (2, 40, 3, 32, 32) and whole.dtype == np.float32
    for i in (0, 17, 39):
        assert np.array_equal(pipeline(batch[i], seed=3, epoch=2, index=100 + i), whole[:, i])
    single = jensen.augment("strong", views=2, threads=1)(batch, seed=3, epoch=2, index=range(100, 140))
    assert np.array_equal(single, whole)
    for other in ({"seed": 4, "epoch": 2}, {"seed": 3, "epoch": 1}):
        assert not np.array_equal(pipeline(batch, index=range(100, 140), **other), whole)
    assert not np.array_equal(whole[0], whole[1])


def test_layouts_are_the_same_image():
    batch = images()
    pipeline = jensen.augment("weak")
    want = pipeline(batch, index=range(6))
    assert np.array_equal(pipeline(batch.transpose(0, 3, 1, 2), index=range(6)), want)
    assert np.array_equal(pipeline(list(batch), index=range(6)), want)
    none = jensen.augment("none", mean=(0.5, 0.25, 0), std=(0.5, 1, 2))(batch, index=range(6))
    as_float = batch.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
    channel = (1, 3, 1, 1)
    assert np.allclose(none, (as_float - np.reshape([0.5, 0.25, 0], channel)) / np.reshape([0.5, 1, 2], channel),
                       atol=1e-6)


def test_pillow_and_torch():
    image_module = pytest.importorskip("PIL.Image")
    torch = pytest.importorskip("torch")
    batch = images()
    want = jensen.augment("weak")(batch[0], index=5)
    assert np.array_equal(jensen.augment("weak")(image_module.fromarray(batch[0]), index=5), want)
    got = jensen.augment("weak")(torch.from_numpy(batch[0].transpose(2, 0, 1).copy()), index=5)
    assert isinstance(got, torch.Tensor) and np.array_equal(got.numpy(), want)
    torch.manual_seed(1)
    first = jensen.augment("strong")(batch[0])
    torch.manual_seed(1)
    assert np.array_equal(first, jensen.augment("strong")(batch[0]))


def test_any_number_of_workers_gives_the_same_batches():
    torch = pytest.importorskip("torch")
    batch = images(24)
    data = jensen.augment("strong").dataset([(image, i) for i, image in enumerate(batch)], seed=5)
    data.epoch = 2
    got = []
    for workers in (0, 2):
        loader = torch.utils.data.DataLoader(data, batch_size=5, num_workers=workers)
        got.append(torch.cat([torch.as_tensor(x) for x, _ in loader]))
    assert torch.equal(got[0], got[1])
    loader = torch.utils.data.DataLoader(data, batch_size=24, num_workers=1, persistent_workers=True)
    for data.epoch in (2, 3, 2):
        (images_then, _), = loader
        assert torch.equal(torch.as_tensor(images_then), got[0]) == (data.epoch == 2), "workers that stay"
    with pytest.raises(ValueError, match="epoch -1"):
        data.epoch = -1


@pytest.mark.parametrize("arguments, error, sentence", [
    ({"spec": "stron"}, jensen.UnknownNameError, "did you mean"),
    ({"images": np.zeros((2, 2), np.uint8)}, ValueError, "shape"),
    ({"images": np.zeros((8, 8, 3))}, TypeError, "uint8"),
    ({"index": -1}, ValueError, "index -1"),
    ({"index": [1, 2]}, ValueError, "index has 2"),
    ({"std": (1, 1, 0)}, jensen.ArgumentError, "std"),
    ({"views": 0}, ValueError, "views"),
    ({"size": 0}, jensen.Error, "0"),
    ({"size": "big"}, TypeError, "size is a whole number"),
    ({"size": (8, 8, 8)}, ValueError, "height and width"),
    ({"mean": 0.5}, ValueError, "mean has one number"),
    ({"threads": -1}, ValueError, "threads -1"),
    ({"views": 1.5}, TypeError, "views is a whole number"),
    ({"spec": None}, TypeError, "is a text"),
    ({"index": 1.5}, TypeError, "index holds whole numbers"),
    ({"index": "3"}, TypeError, "index holds whole numbers"),
    ({"images": []}, ValueError, "empty"),
    ({"images": [np.zeros((2, 8, 8, 3), np.uint8)] * 2}, ValueError, "holds batches"),
    ({"images": [np.zeros((8, 8, 3), np.uint8), np.zeros((9, 8, 3), np.uint8)]}, ValueError, "different sizes"),
])
def test_wrong_augmentation_is_said(arguments, error, sentence):
    given = {"spec": "weak", "images": np.zeros((32, 32, 3), np.uint8), "index": 0, **arguments}
    with pytest.raises(error, match=sentence):
        data, index = given.pop("images"), given.pop("index")
        jensen.augment(**given)(data, index=index)


def test_numbers_that_name_the_choices_do_not_wrap_around():
    pipeline, image = jensen.augment("strong", size=np.int64(16)), images(1)[0]
    want = pipeline(image, seed=3, epoch=2, index=5)
    assert np.array_equal(pipeline(image, seed=np.int64(3), epoch=np.uint8(2), index=np.int32(5)), want)
    for wrong in ({"seed": -1}, {"seed": 2**64}, {"epoch": -1}, {"epoch": 2**32}, {"index": 2**32}):
        with pytest.raises(ValueError, match="is not in 0"):
            pipeline(image, **{"index": 0, **wrong})
    for wrong in (-1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            jensen.noise.symmetric([0, 1, 2], 0.4, seed=wrong)
    assert jensen.noise.symmetric([0, 1, 2], 0.4, seed=np.int64(1)).labels is not None


def test_choices_are_drawn_on_the_cpu():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "set_default_device"):
        pytest.skip("PyTorch before 2.0 has no default device")
    torch.set_default_device("meta")
    try:
        assert jensen.augment("weak")(images(1)[0]).shape == (3, 32, 32)
    finally:
        torch.set_default_device("cpu")


def test_a_copy_of_noisy_labels_is_one():
    noisy = jensen.noise.symmetric([0, 1, 2] * 10, 0.4)
    copied = np.array(noisy)
    copied[:] = 7
    assert noisy.labels.max() < 3 and np.shares_memory(np.asarray(noisy), noisy.labels)
    assert np.asarray(noisy, np.int8).dtype == np.int8


def test_noise_is_what_it_says():
    labels = np.repeat(np.arange(10), 1000)
    noisy = jensen.noise.symmetric(labels, 0.4, seed=1)
    assert noisy.real_rate == np.mean(noisy.labels != labels) == noisy.changed / 10000
    assert abs(noisy.real_rate - 0.36) < 0.01 and noisy.nominal_rate == 0.4
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (labels, noisy.labels), 1)
    assert np.array_equal(noisy.counts, counts) and np.allclose(noisy.matrix.sum(1), 1)
    assert np.array_equal(np.asarray(noisy), noisy.labels)
    other = jensen.noise.symmetric(labels, 0.4, seed=1, other=True)
    assert abs(other.real_rate - 0.4) < 0.01
    assert np.array_equal(jensen.noise.symmetric(labels, 0.4, seed=1).labels, noisy.labels)
    assert not np.array_equal(jensen.noise.symmetric(labels, 0.4, seed=2).labels, noisy.labels)
    turned = jensen.noise.matrix(labels, np.roll(np.eye(10), 1, axis=1))
    assert np.array_equal(turned.labels, (labels + 1) % 10)
    assert jensen.noise.asymmetric(labels, 0.4).real_rate > 0.1
    posteriors = np.random.default_rng(0).dirichlet(np.ones(10), 10000)
    given = posteriors.argmax(1)
    assert jensen.noise.instance(given, 0.35, posteriors).real_rate == pytest.approx(0.35, abs=0.02)


@pytest.mark.parametrize("call, error", [
    (lambda: jensen.noise.symmetric([0, 1], 1.5), jensen.RangeError),
    (lambda: jensen.noise.symmetric([0, 7], 0.5, classes=3), jensen.ArgumentError),
    (lambda: jensen.noise.symmetric([0.5, 1], 0.5), TypeError),
    (lambda: jensen.noise.symmetric([], 0.5), (TypeError, ValueError)),
    (lambda: jensen.noise.apply("file:/nowhere", [0, 1]), jensen.Error),
    (lambda: jensen.noise.matrix([0, 1], [[1, 1], [0, 1]]), jensen.Error),
    (lambda: jensen.noise.matrix([0, 1], [[0.5, 0.5]]), ValueError),
    (lambda: jensen.noise.symmetric([0, 1], 0.5, classes=3.0), TypeError),
    (lambda: jensen.noise.apply(None, [0, 1]), TypeError),
    (lambda: jensen.noise.apply("sym:rate=0.5", [0, 1], class_names=[0, 1]), TypeError),
    (lambda: jensen.noise.apply("file:/nowhere", [0, 1], paths=[pathlib.Path("a"), "b"]), jensen.DataError),
])
def test_wrong_noise_is_said(call, error):
    with pytest.raises(error):
        call()


def test_theory_has_the_golden_values():
    for row in golden.manifest("theory.json")["bounds"]:
        got = jensen.theory.bounds(row["K"], row["M"] - 1, row["pi1"])
        for key, name in (("B_L", "lower"), ("B_U", "upper"), ("C1", "c1"), ("C2", "c2")):
            assert got[name] / got["z"] == pytest.approx(row[key], rel=1e-12)
    p = np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]])
    parts = jensen.theory.decompose(p, 0, pi1=0.3)
    value = jensen.loss("gjs:pi1=0.3", np.log(p)[:, None], np.array([0]))
    assert parts["gjs"] == pytest.approx(value, rel=1e-12)
    assert parts["js"] + parts["consistency"] == pytest.approx(parts["gjs"], rel=1e-12)
    assert jensen.theory.divergence([0.5, 0.5], np.eye(2)) == pytest.approx(np.log(2))
    assert jensen.theory.js(1e-9, 0.25) == pytest.approx(-np.log(0.25), rel=1e-6)
    assert jensen.theory.gradient_scale("ce", np.array([0.5, 0.25])).tolist() == [2, 4]
    assert jensen.theory.risk(10, eta=0.3)["noisy_lowest"] <= 0
    with pytest.raises(jensen.RangeError):
        jensen.theory.bounds(10, 1, 1.5)
    for wrong in (lambda: jensen.theory.js(5, 0.5), lambda: jensen.theory.f(0, 1), lambda: jensen.theory.js(np.nan, 0.5),
                  lambda: jensen.theory.gradient_scale("gce", 0.5, -1)):
        with pytest.raises(ValueError, match="is not inside"):
            wrong()
    with pytest.raises(TypeError, match="label is a whole number"):
        jensen.theory.decompose(p, 0.5)


def test_an_audit_finds_the_labels_that_were_changed():
    random = np.random.default_rng(0)
    truth = random.integers(0, 4, 2000)
    posteriors = 0.04 + 0.84 * np.eye(4)[truth]
    noisy = jensen.noise.symmetric(truth, 0.2, seed=3, other=True)
    for dtype in (np.float32, np.float64):
        found = jensen.audit(noisy.labels, posteriors.astype(dtype))
        assert set(found.suspects) == set(np.flatnonzero(noisy.labels != truth))
        assert np.array_equal(found.suggested[found.suspects], truth[found.suspects])
        assert found.noise_low <= noisy.real_rate <= found.noise_high
        assert set(found.kind[found.suspects]) == {"label"}
    with pytest.raises(jensen.Error, match="12"):
        jensen.audit(np.where(np.arange(2000) == 5, 12, noisy.labels), posteriors)
    with pytest.raises(jensen.UnknownNameError):
        jensen.audit(noisy.labels, posteriors, method="magic")
    with pytest.raises(ValueError, match="5 labels with the probabilities of 2000 samples"):
        jensen.audit(noisy.labels[:5], posteriors)
    with pytest.raises(TypeError, match="method is a text"):
        jensen.audit(noisy.labels, posteriors, method=None)


def test_an_audit_reads_views():
    random = np.random.default_rng(1)
    truth = random.integers(0, 4, 600)
    labels = jensen.noise.symmetric(truth, 0.2, seed=3, other=True).labels
    views = np.stack([random.dirichlet(np.ones(4), 600) * 0.2 + 0.8 * np.eye(4)[truth] for _ in range(3)])
    odd = np.flatnonzero(labels == truth)[0]
    views[:, odd] = 0.05 + 0.8 * np.eye(4)[(truth[odd] + np.arange(3)) % 4]      # the views contradict each other
    found = jensen.audit(labels, views, method="consistency")
    assert set(np.flatnonzero(labels != truth)) <= set(found.suspects)
    assert found.score[odd] > np.median(found.score[labels == truth])
    same = jensen.audit(labels, np.stack([views.mean(0)] * 3), method="consistency")
    assert found.score[odd] > same.score[odd], "where the views differ is seen"
    assert np.array_equal(jensen.audit(labels, views).score, jensen.audit(labels, views.mean(0)).score)
    for wrong in (views[:0], views[:, :5], views[None], np.ones((1001, 600, 4)) / 4):
        with pytest.raises(ValueError):
            jensen.audit(labels, wrong)


def test_results_are_shown_in_a_line_and_compared_as_objects():
    labels = np.arange(2000) % 4
    noisy = jensen.noise.symmetric(labels, 0.4)
    found = jensen.audit(labels, 0.04 + 0.84 * np.eye(4)[labels])
    assert repr(noisy).startswith("Noisy(2000 labels, real_rate=0.") and len(repr(noisy)) < 100
    assert repr(found).startswith("Audit(2000 labels, 0 suspects, noise_rate=0") and len(repr(found)) < 120
    for one, other in ((noisy, jensen.noise.symmetric(labels, 0.4)), (found, jensen.audit(labels, np.eye(4)[labels]))):
        assert one == one and one != other and len({one, other}) == 2
    pipeline = jensen.augment("weak", size=8, views=2)
    assert repr(pipeline) == "jensen.augment('weak', size=(8, 8), views=2)"
    assert repr(pipeline.dataset([1, 2], seed=3)) == f"{pipeline!r}.dataset(list of 2, seed=3), epoch 0"


@pytest.mark.parametrize("call, sentence", [
    (lambda: jensen.noise.symmetric([0, 1], None), "the rate is a number, not None"),
    (lambda: jensen.noise.instance([0, 1], 0.4, np.eye(2), type=1.5), "type is a whole number"),
    (lambda: jensen.noise.symmetric(["cat", "dog"], 0.4), "return_inverse=True"),
    (lambda: jensen.audit(["cat", "dog"], np.eye(2)), "return_inverse=True"),
    (lambda: jensen.audit([0, 1], np.eye(2), cutoff="high"), "cutoff is a number, not 'high'"),
    (lambda: jensen.theory.bounds(10.5), "classes is a whole number"),
    (lambda: jensen.theory.match_gce("q"), "q is a number"),
    (lambda: jensen.theory.js([0.5], 0.5), "pi1 is a number"),
    (lambda: jensen.theory.gradient_scale(["ce"], 0.5), "the loss is a text"),
    (lambda: jensen.augment("weak")("image.png"), "not str"),
    (lambda: jensen.augment("weak")(np.zeros((8, 8, 3))), "from 0 to 255, not float64"),
    (lambda: jensen.augment("weak", sise=8), "sise"),
])
def test_arguments_of_a_wrong_type_are_named(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call()


def test_what_is_wrong_is_said_as_it_was_given():
    with pytest.raises(jensen.DataError, match="^the matrix: row 0 sums to 1.5"):
        jensen.noise.matrix([0, 1], [[1, 0.5], [0, 1]])
    with pytest.raises(jensen.ArgumentError, match="label -2 of sample 1"):
        jensen.audit([0, -2], np.eye(2))


def test_places_count_from_the_end_too():
    data = jensen.augment("strong").dataset([(image, i) for i, image in enumerate(images(4))], seed=5)
    assert np.array_equal(data[-1][0], data[3][0]) and data[-1][1] == 3
    with pytest.raises(IndexError):
        data[4]
