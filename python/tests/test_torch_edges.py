"""jensen.torch at the edges: torch.func, tensors marked as negative, batches of nothing."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F

import jensen
import jensen.torch
from jensen.torch import CE, GJS, Loss

registered = hasattr(torch.library, "register_autograd")
needs_registration = pytest.mark.skipif(not registered, reason="PyTorch before 2.4 has no operators from Python")


def batch(samples=6, classes=5, seed=0):
    torch.manual_seed(seed)
    return torch.randn(samples, classes, dtype=torch.float64), torch.randint(0, classes, (samples,))


@needs_registration
@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_transforms_of_torch_func(reduction):
    from torch.func import grad_and_value, jacrev, vmap

    logits, labels = batch()

    def ours(z):
        return CE(reduction=reduction)(z, labels).sum()

    def theirs(z):
        return F.cross_entropy(z, labels, reduction=reduction).sum()

    several = torch.stack([logits, 2 * logits, -logits])
    for transform, given in ((grad_and_value, logits), (jacrev, logits), (vmap, several),
                             (lambda f: vmap(grad_and_value(f)), several)):
        got, want = transform(ours)(given), transform(theirs)(given)
        for a, b in zip(got, want) if isinstance(got, tuple) else [(got, want)]:
            assert torch.allclose(a, b, rtol=1e-12, atol=1e-15)


@needs_registration
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_gradients_of_each_sample_add_up():
    from torch.func import functional_call, grad, vmap

    images, labels = batch(samples=7)
    layer, criterion = torch.nn.Linear(5, 4).double(), GJS()
    weights = dict(layer.named_parameters())

    def value(weights, x, y):
        logits = functional_call(layer, weights, (x,))
        return criterion([logits, 2 * logits], y)

    labels = labels % 4
    whole = grad(value)(weights, images, labels)
    each = vmap(grad(value), in_dims=(None, 0, 0))(weights, images[:, None], labels[:, None])
    assert torch.allclose(each["weight"].mean(0), whole["weight"], rtol=1e-12, atol=1e-15)


@needs_registration
def test_what_torch_func_cannot_have_is_refused():
    from torch.func import grad, jvp

    logits, labels = batch()
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        grad(lambda z: grad(lambda a: CE()(a, labels))(z).sum())(logits)
    with pytest.raises(NotImplementedError, match="jvp"):
        jvp(lambda z: CE()(z, labels), (logits,), (logits,))


def test_several_gradients_at_once():
    if not registered:
        pytest.skip("PyTorch before 2.0 cannot")
    logits, labels = batch()
    logits.requires_grad_()
    above = torch.tensor([1.0, 2.0, 0.0], dtype=torch.float64)
    got = torch.autograd.grad(CE()(logits, labels), logits, above, is_grads_batched=True)[0]
    one = torch.autograd.grad(CE()(logits, labels), logits)[0]
    assert torch.allclose(got, above[:, None, None] * one, rtol=1e-15)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_a_tensor_marked_as_negative_is_negative(dtype):
    logits, labels = batch()
    logits = logits.to(dtype)
    marked = torch._neg_view(-logits)  # as the imaginary part of a conjugate is; memory has the other sign
    assert marked.is_neg()
    assert Loss("gce")(marked, labels) == Loss("gce")(logits, labels)


def test_weights_and_targets_marked_as_negative():
    logits, labels = batch()
    soft, weight, each = torch.softmax(logits, 1), torch.rand(5, dtype=torch.float64), torch.rand(6, dtype=torch.float64)
    assert CE()(logits, torch._neg_view(-soft)) == CE()(logits, soft)
    assert CE(weight=torch._neg_view(-weight))(logits, labels) == CE(weight=weight)(logits, labels)
    assert CE()(logits, labels, torch._neg_view(-each)) == CE()(logits, labels, each)


@pytest.mark.parametrize("views", [(), (2,)])
def test_a_batch_of_nothing_is_as_in_torch(views):
    logits = torch.zeros(*views, 0, 5, requires_grad=True)
    labels = torch.zeros(0, dtype=torch.int64)
    for reduction, shape in (("sum", ()), ("none", (0,))):
        value = GJS(reduction=reduction)(logits, labels)
        value.sum().backward()
        assert value.shape == shape and value.sum() == 0 and logits.grad.shape == logits.shape
        on_arrays, gradient = jensen.loss("gjs", logits.detach().numpy(), labels.numpy(), grad=True, reduction=reduction)
        assert on_arrays.shape == shape and on_arrays.sum() == 0 and gradient.shape == logits.shape
    with pytest.raises(ValueError, match="empty"):
        GJS()(logits, labels)
    with pytest.raises(ValueError, match="empty"):
        GJS(reduction="sum")(torch.zeros(0, 0), labels)
    with pytest.raises(jensen.UnknownNameError):
        jensen.torch.loss("no such loss", logits, labels, reduction="sum")


def test_a_batch_of_nothing_on_a_gpu_asks_no_gpu():
    for code, shape in ((1, ()), (2, (0,))):
        logits = torch.zeros(2, 0, 5, dtype=torch.float16)
        value, gradient = jensen.torch._evaluate_gpu(logits, torch.zeros(0, dtype=torch.int64), None, None, "gjs", code, -100, True)
        assert value.shape == shape and value.sum() == 0 and gradient.shape == logits.shape and gradient.dtype == logits.dtype


def test_a_mean_of_ignored_labels_alone_is_said():
    logits, labels = batch()
    for call in (lambda: CE(ignore_index=3)(logits, torch.full((6,), 3)),
                 lambda: jensen.loss("ce", logits.numpy(), np.full(6, 3, np.int32), ignore_index=3)):
        with pytest.raises(jensen.RangeError, match="every label is the ignored 3"):
            call()
    with pytest.raises(jensen.RangeError, match="the weights sum to 0"):
        CE(ignore_index=3)(logits, labels, torch.zeros(6))
    assert CE(ignore_index=3, reduction="sum")(logits, torch.full((6,), 3)) == 0


def test_class_weights_of_soft_targets():
    """A sample weighs what its target says of the classes, and the mean divides by the sum of that."""
    logits, _ = batch()
    soft, weight = torch.softmax(logits.flip(0), 1), torch.rand(5, dtype=torch.float64)
    each = F.cross_entropy(logits, soft, reduction="none")
    of_samples = soft @ weight
    assert torch.allclose(CE(weight=weight, reduction="none")(logits, soft), of_samples * each, rtol=1e-12)
    assert torch.allclose(CE(weight=weight)(logits, soft), (of_samples * each).sum() / of_samples.sum(), rtol=1e-12)


def test_a_loss_shows_what_it_was_made_with():
    assert repr(CE(reduction="sum", ignore_index=7)) == "CE('ce', reduction='sum', ignore_index=7)"
    assert repr(GJS(weight=[1.0, 2.0])) == "GJS('gjs', 2 weights)"
    with pytest.raises(TypeError, match="one number a class"):
        CE(weight="balanced")
    with pytest.raises(ValueError, match="has a comma"):
        jensen.torch.Forward(matrix="a,b.npy")
