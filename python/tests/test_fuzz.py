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


@quick
@given(st.integers(-3, 2**62), st.integers(-3, 2**62), st.floats(), st.one_of(st.none(), arrays), arrays, whole)
def test_theory(classes, views, pi1, weights, p, label):
    refuse(jensen.theory.bounds, classes, views, pi1, weights)
    refuse(jensen.theory.risk, classes, views, pi1, weights=weights, transition=p)
    refuse(jensen.theory.decompose, p, label, pi1, weights)
    refuse(jensen.theory.divergence, p, p)
    refuse(jensen.theory.match_gce, pi1, pi1)
    refuse(jensen.theory.js, pi1, p)
