"""No argument crashes the extension: whatever is given is answered, or refused by an exception."""
import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import jensen
import jensen.noise
import jensen.theory
from jensen import _native

REFUSED = (jensen.Error, ValueError, TypeError, OverflowError, MemoryError)
quick = settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

names = st.sampled_from([row.name for row in jensen.losses()])
specs = st.one_of(names, st.text(max_size=20), st.builds("{}:{}={}".format, names, st.text("abpiq1", max_size=4),
                                                         st.text("0123456789./-e", max_size=6)))
shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
dtypes = st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8, np.bool_,
                          np.complex64, np.dtype(">f8"), np.dtype("U3")])
arrays = dtypes.flatmap(lambda d: hnp.arrays(d, shapes))
whole = st.one_of(st.none(), st.integers(-2**70, 2**70), st.floats(), st.text(max_size=3))


def refuse(call, *arguments, **named):
    try:
        return call(*arguments, **named)
    except REFUSED:
        return None


@quick
@given(specs, st.one_of(arrays, st.lists(arrays, max_size=3)), arrays, st.booleans(), st.one_of(st.none(), arrays),
       st.one_of(st.none(), arrays), st.one_of(st.sampled_from(["mean", "sum", "none"]), whole), whole)
def test_loss(spec, logits, target, grad, weight, sample_weight, reduction, ignore_index):
    refuse(jensen.loss, spec, logits, target, grad, weight=weight, sample_weight=sample_weight, reduction=reduction,
           ignore_index=ignore_index)


@quick
@given(names, st.integers(1, 3), st.integers(1, 6), st.integers(2, 5), st.data())
def test_loss_of_what_fits_is_finite(spec, views, samples, classes, data):
    logits = data.draw(hnp.arrays(np.float32, (views, samples, classes), elements=st.floats(-50, 50, width=32)))
    labels = data.draw(hnp.arrays(np.int64, samples, elements=st.integers(0, classes - 1)))
    value, gradient = jensen.loss(spec, logits, labels, grad=True)
    assert np.isfinite(value) and np.isfinite(gradient).all()


@quick
@given(st.lists(st.one_of(whole, arrays, specs), max_size=14))
def test_extension_by_arrays(arguments):
    refuse(_native.Loss("ce").evaluate_arrays, *arguments)
    refuse(_native.noise, *arguments)
    refuse(_native.audit, *arguments)
    refuse(_native.theory_risk, *arguments)
    refuse(_native.train, *arguments[:1])


@quick
@given(st.one_of(st.sampled_from(["strong", "weak", "none", "crop:pad=4+flip"]), st.text(max_size=12)),
       st.one_of(arrays, hnp.arrays(np.uint8, hnp.array_shapes(min_dims=3, max_dims=4, max_side=9))), whole, whole,
       st.one_of(whole, st.lists(st.integers(-2, 2**33), max_size=4)), st.integers(-1, 3))
def test_augment(spec, images, seed, epoch, index, views):
    refuse(lambda: jensen.augment(spec, views=views)(images, seed=seed, epoch=epoch, index=index))


@quick
@given(arrays, st.floats(), whole, whole, arrays)
def test_noise_and_audit(labels, rate, seed, classes, posteriors):
    refuse(jensen.noise.symmetric, labels, rate, seed=seed, classes=classes)
    refuse(jensen.noise.instance, labels, rate, posteriors, seed=seed)
    refuse(jensen.noise.matrix, labels, posteriors)
    refuse(jensen.audit, labels, posteriors)


def test_sizes_whose_product_wraps_around():
    with pytest.raises(ValueError, match="too many"):
        jensen.theory.divergence([1 / 32] * 32, np.zeros((0, 2**59)))  # 32 times 2**59 is 0 in 64 bits
    with pytest.raises(ValueError):
        jensen.theory.decompose(np.zeros((0, 2**59)), 0, weights=[1.0])
    with pytest.raises(ValueError, match="no curve"):
        _native.theory_curve(-2**31, 0.5, np.ones(2), np.ones(2))


class Odd:
    """Answers what NumPy and Python ask of an argument, and never the same."""

    def __init__(self, answers):
        self.answers = list(answers)

    def answer(self, *unused, **named):
        self.answers.append(self.answers.pop(0))
        if isinstance(self.answers[0], type):
            raise self.answers[0]("odd")
        return self.answers[0]

    __array__ = __len__ = __index__ = __float__ = __fspath__ = __iter__ = __getitem__ = answer


class Changing(list):
    """Empty as soon as somebody looks at it."""

    def __iter__(self):
        for value in list.__iter__(self):
            self.clear()
            yield value


answers = st.one_of(st.sampled_from([ZeroDivisionError, KeyError, np.zeros((2, 3)), None, "\0", [1.0], np.inf]),
                    st.integers(-2**70, 2**70))
odd = st.one_of(st.lists(answers, min_size=1, max_size=3).map(Odd), st.lists(whole, max_size=3).map(Changing), arrays,
                arrays.map(lambda a: a.T[..., ::-1] if a.ndim else a), arrays.map(np.ma.array), arrays.map(lambda a: a.tolist()),
                st.sampled_from([float("nan"), b"\xff", "\ud800", ..., range(3), iter([1]), {}, print]), whole)
ODD = REFUSED + (ZeroDivisionError, KeyError, AttributeError, IndexError)


@settings(quick, max_examples=150)
@given(st.lists(odd, min_size=8, max_size=8))
def test_odd_objects(given):
    a, b, c, d, e, f, g, h = given
    for call in (lambda: jensen.loss("gjs", a, b, True, weight=c, sample_weight=d, ignore_index=e, reduction=f),
                 lambda: jensen.loss(a, b, c), lambda: jensen.set_threads(a),
                 lambda: jensen.augment("strong", views=a, size=b), lambda: jensen.augment("weak", mean=a, std=b, threads=c),
                 lambda: jensen.augment("weak", size=8)(a, seed=b, epoch=c, index=d),
                 lambda: jensen.noise.symmetric(a, b, seed=c, classes=d), lambda: jensen.noise.matrix(a, b, seed=c),
                 lambda: jensen.noise.apply("sym:rate=0.5", a, class_names=b, paths=c, posteriors=d, asymmetric=e),
                 lambda: jensen.audit(a, b, method=c), lambda: jensen.audit(a, b, cutoff=c, confidence=d, threads=e),
                 lambda: jensen.theory.risk(a, b, c, eta=d, transition=e, prior=f, weights=g, consistent=h),
                 lambda: jensen.theory.decompose(a, b, c, d), lambda: jensen.theory.js(a, b), lambda: jensen.Run(a),
                 lambda: jensen.load_study(a, b), lambda: jensen.Classifier().fit(a, b),
                 lambda: jensen.weights.import_file(a, b),
                 lambda: _native.Loss("gjs").evaluate_arrays(1, 2, 3, True, a, b, 0, c, d, e, 0, f, g),
                 lambda: _native.Augment("weak", 8, 8, (0, 0, 0), (1, 1, 1)).apply(a, b, 8, 8, c, d, e, 0, 1, f, 1),
                 lambda: _native.Augment(a, b, c, d, e), lambda: _native.Classifier(a, b, c, d, e), lambda: _native.Block(a),
                 lambda: _native.noise("sym", a, 3, b, c, d, None, e, f, g, h), lambda: _native.train([(a, b)], c),
                 lambda: _native.train([a], b), lambda: _native.train(a, b), lambda: _native.study_run(a, b, c, 1, d, True, e),
                 lambda: _native.theory_curve(a, b, c, d), lambda: _native.theory_decompose(a, b, c, d, e, f)):
        try:
            call()
        except ODD:
            pass
    jensen.set_threads(0)


@quick
@given(st.integers(-3, 2**62), st.integers(-3, 2**62), st.floats(), st.one_of(st.none(), arrays), arrays, whole)
def test_theory(classes, views, pi1, weights, p, label):
    refuse(jensen.theory.bounds, classes, views, pi1, weights)
    refuse(jensen.theory.risk, classes, views, pi1, weights=weights, transition=p)
    refuse(jensen.theory.decompose, p, label, pi1, weights)
    refuse(jensen.theory.divergence, p, p)
    refuse(jensen.theory.match_gce, pi1, pi1)
    refuse(jensen.theory.js, pi1, p)
