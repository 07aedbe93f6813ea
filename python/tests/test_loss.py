"""jensen.loss on NumPy arrays: the golden vectors, reductions, weights, and what is refused."""
import threading

import numpy as np
import pytest

import golden
import jensen

TENSORS = golden.tensors("losses.safetensors")
CASES = golden.manifest("losses.json")["cases"]


@pytest.mark.parametrize("dtype, loss_error, grad_error", [(np.float64, 1e-12, 1e-12), (np.float32, 3e-6, 1e-5)])
def test_golden_vectors(dtype, loss_error, grad_error):
    for case in CASES:
        pi1 = case["params"].get("weights", [case["params"].get("pi1", 0.5)])[0]
        extreme = not 0.01 <= pi1 <= 0.99
        inputs = f"inputs/{case['inputs']}/"
        logits = np.stack([TENSORS[f"{inputs}logits{v + 1}"] for v in range(case["views"])])
        target = TENSORS[inputs + case["target"]]
        want = TENSORS[case["name"] + "/loss"]
        spec = golden.spec_of(case)
        values = jensen.loss(spec, logits.astype(dtype), target, reduction="none")
        mean, grad = jensen.loss(spec, logits.astype(dtype), target, grad=True)
        wanted = len(want) * np.stack([TENSORS[f"{case['name']}/grad{v + 1}"] for v in range(case["views"])])
        assert values.dtype == grad.dtype == dtype
        apart = np.max(np.abs(values - want) / np.maximum(1, np.abs(want)))
        assert apart <= (1e-9 if extreme and dtype == np.float64 else loss_error), (spec, case["name"])
        assert abs(mean - np.mean(want)) <= (1e-9 if dtype == np.float64 else 1e-5) * max(1, abs(np.mean(want)))
        apart = np.max(np.abs(len(want) * grad - wanted)) / max(1, np.max(np.abs(wanted)))
        assert apart <= (1e-9 if extreme and dtype == np.float64 else grad_error), (spec, case["name"])


def batch(views=2, samples=7, classes=5, seed=1):
    random = np.random.default_rng(seed)
    return random.normal(size=(views, samples, classes)), random.integers(0, classes, samples)


def test_reductions_and_weights_follow_from_the_values():
    logits, labels = batch()
    values = jensen.loss("gjs:pi1=0.3", logits, labels, reduction="none")
    classes, samples = np.array([1, 2, 0.5, 3, 0]), np.array([1, 0, 2, 1, 0.25, 1, 1])
    weights = classes[labels] * samples
    how = {"weight": classes, "sample_weight": samples}
    assert np.allclose(jensen.loss("gjs:pi1=0.3", logits, labels, reduction="none", **how), weights * values, rtol=1e-14)
    total, of_sum = jensen.loss("gjs:pi1=0.3", logits, labels, True, reduction="sum", **how)
    mean, of_mean = jensen.loss("gjs:pi1=0.3", logits, labels, True, **how)
    assert total == pytest.approx(np.sum(weights * values), rel=1e-14)
    assert mean == pytest.approx(total / np.sum(weights), rel=1e-14)
    assert np.allclose(of_mean * np.sum(weights), of_sum, rtol=1e-13)
    assert np.all(jensen.loss("ce", logits, labels, reduction="none", sample_weight=np.zeros(7)) == 0)


def test_ignored_samples_do_not_count():
    logits, labels = batch(views=1)
    kept = np.arange(7) != 3
    marked = np.where(kept, labels, -1)
    for dtype in (np.int32, np.int64):
        value, grad = jensen.loss("gce", logits[0], marked.astype(dtype), True, ignore_index=-1)
        want, want_grad = jensen.loss("gce", logits[0][kept], labels[kept], True)
        assert value == pytest.approx(want, rel=1e-14)
        assert np.allclose(grad[kept], want_grad, rtol=1e-13) and np.all(grad[3] == 0)
    with pytest.raises(jensen.RangeError, match="label -1 of sample 3"):
        jensen.loss("gce", logits[0], marked)


def test_a_list_of_views_and_other_layouts_are_the_same_batch():
    logits, labels = batch()
    want = jensen.loss("gjs", logits, labels)
    assert jensen.loss("gjs", [logits[0], logits[1]], labels.tolist()) == want
    assert jensen.loss("gjs", np.asfortranarray(logits), labels.astype(np.uint8)) == want
    assert jensen.loss("gjs", np.repeat(logits, 2, axis=1)[:, ::2], labels) == want
    assert jensen.loss("ce", logits.astype(np.float16), labels).dtype == np.float32


def test_large_batches_have_the_same_bits_for_any_number_of_threads():
    logits, labels = batch(samples=5000, classes=20)
    got = []
    for threads in (1, 2, 3, 0):
        jensen.set_threads(threads)
        got.append(jensen.loss("gjs", logits.astype(np.float32), labels, True))
    assert all(value == got[0][0] and np.array_equal(grad, got[0][1]) for value, grad in got)


def test_many_threads_share_a_loss():
    batches = [batch(samples=50 + i, seed=i) for i in range(8)]
    want = [jensen.loss("gjs", *b) for b in batches]
    wrong = []

    def work(i):
        for _ in range(200):
            if jensen.loss("gjs", *batches[i]) != want[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("spec, arguments, error, sentence", [
    ("gjz", {}, jensen.UnknownNameError, "did you mean 'gjs'"),
    ("gce:q=7", {}, jensen.RangeError, "gce"),
    ("gce:p=1", {}, jensen.UnknownNameError, "p"),
    ("ce", {"reduction": "max"}, ValueError, "mean, sum, none"),
    ("js-sqrt", {"reduction": "none"}, ValueError, "root"),
    ("ce", {"logits": np.zeros(3)}, ValueError, "shape"),
    ("ce", {"logits": np.zeros((0, 3))}, ValueError, "empty"),
    ("ce", {"logits": np.full((1, 3), np.nan), "target": [0]}, jensen.NumericError, "sample 0"),
    ("ce", {"target": [0, 9]}, jensen.RangeError, "label 9 of sample 1"),
    ("ce", {"target": [0, 2**40]}, jensen.RangeError, "sample 1"),
    ("ce", {"target": [0, 1, 2]}, ValueError, "target has 3 elements"),
    ("ce", {"target": [0.5, 1]}, TypeError, "whole numbers"),
    ("gce", {"target": [[0.5, 0.5, 0], [1, 0, 0]]}, jensen.ArgumentError, "soft targets"),
    ("ce", {"target": [[0.5, 0.6, 0], [1, 0, 0]]}, jensen.RangeError, "sum to"),
    ("ce", {"weight": [1, 2]}, ValueError, "weight has 2"),
    ("ce", {"weight": [1, 2, -3]}, jensen.RangeError, "weight -3"),
    ("ce", {"sample_weight": [0, 0]}, jensen.RangeError, "sum to 0"),
])
def test_what_is_wrong_is_said(spec, arguments, error, sentence):
    given = {"logits": np.zeros((2, 3)), "target": [0, 1], **arguments}
    with pytest.raises(error, match=sentence) as caught:
        jensen.loss(spec, given.pop("logits"), np.array(given.pop("target")), **given)
    assert not error.__module__ == "jensen" or isinstance(caught.value, jensen.Error)


def test_the_table_is_that_of_the_program():
    rows = {row.name: row for row in jensen.losses()}
    assert rows["gjs"].views == 2 and not rows["gce"].soft and not rows["js-sqrt"].per_sample
    assert rows["gce"].parameters[0].initial == 0.7


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", [
    lambda z: jensen.loss("ce", z, np.array([0, 1])), lambda z: jensen.loss("ce", z.real, z),
    lambda z: jensen.loss("ce", z.real, np.array([0, 1]), weight=z[0]),
    lambda z: jensen.audit(np.array([0, 1]), z), lambda z: jensen.theory.js(0.5, z[0]),
    lambda z: jensen.noise.instance(np.array([0, 1]), 0.1, z)])
def test_complex_numbers_are_refused(call):
    with pytest.raises(TypeError, match="complex"):
        call(np.array([[0.2 + 1j, 0.8], [0.5, 0.5]]))


@pytest.mark.parametrize("given, error, sentence", [
    ({"ignore_index": 1.5}, TypeError, "ignore_index is a whole number"),
    ({"ignore_index": 2**70}, ValueError, "ignore_index 1180591620717411303424 is not in"),
    ({"sample_weight": np.ones((2, 1))}, ValueError, r"sample_weight has the shape \(2, 1\)"),
    ({"weight": 1.0}, ValueError, r"weight has the shape \(\)"),
])
def test_arguments_that_do_not_fit_are_named(given, error, sentence):
    with pytest.raises(error, match=sentence):
        jensen.loss("ce", np.zeros((2, 3)), [0, 1], **given)
