"""jensen.torch on a GPU, beside float64 on the CPU. Skipped where there is none."""
import pytest

torch = pytest.importorskip("torch")

import jensen
from jensen.torch import GJS, Loss

if not torch.cuda.is_available():
    pytest.skip("no GPU that PyTorch can use", allow_module_level=True)

ROWS = jensen.losses()


def batch(views, samples, classes, seed=0):
    torch.manual_seed(seed)
    return 3 * torch.randn(views, samples, classes), torch.randint(0, classes, (samples,))


def both(criterion, logits, *rest):
    """Value and gradient on the CPU in float64, and on the GPU in float32."""
    results = []
    for device, dtype in (("cpu", torch.float64), ("cuda", torch.float32)):
        z = logits.to(device, dtype).requires_grad_()
        moved = [t if t is None else t.to(device, dtype if t.is_floating_point() else t.dtype) for t in rest]
        value = criterion.to(device)(z, *moved)
        above = torch.linspace(0.5, 2.0, value.numel(), dtype=torch.float64).reshape(value.shape).to(device)
        (value * above).sum().backward()
        results.append((value.detach().cpu().double(), z.grad.cpu().double()))
    return results


def close(pair, scale=1.0):
    (value, gradient), (other_value, other_gradient) = pair
    assert torch.allclose(value, other_value, rtol=2e-5 * scale, atol=1e-6 * scale)
    assert (gradient - other_gradient).abs().max() <= 2e-5 * scale * gradient.abs().max() + 1e-7


@pytest.mark.parametrize("row", ROWS, ids=[r.name for r in ROWS])
@pytest.mark.parametrize("shape", [(2, 128, 10), (1, 33, 100), (2, 64, 1000)])
def test_values_and_gradients(row, shape):
    logits, labels = batch(*shape)
    for reduction in ("mean", "sum", "none") if row.per_sample else ("mean",):
        close(both(Loss(row.name, reduction=reduction), logits, labels), 10.0)


def test_weights_and_ignored_samples():
    logits, labels = batch(2, 50, 7)
    labels[::5] = -100
    for reduction in ("mean", "sum", "none"):
        criterion = Loss("gjs:pi1=0.3", weight=torch.rand(7) + 0.1, reduction=reduction)
        close(both(criterion, logits, labels, torch.rand(50)))


def test_soft_targets():
    logits, _ = batch(2, 50, 7)
    close(both(GJS(pi1=0.5), logits, torch.softmax(torch.randn(50, 7), -1)))


def test_a_label_that_is_no_class_makes_it_nan():
    logits, labels = batch(2, 8, 4)
    for wrong in (4, -1, 2**40):
        labels[3] = wrong
        z = logits.cuda().requires_grad_()
        value = GJS()(z, labels.cuda())
        value.backward()
        assert value.isnan() and z.grad.isnan().any()


def test_half_precision_and_autocast():
    logits, labels = batch(2, 64, 10)
    want = GJS()(logits.bfloat16().float().cuda(), labels.cuda())
    z = logits.cuda().bfloat16().requires_grad_()
    value = GJS()(z, labels.cuda())
    value.backward()
    assert value.dtype is torch.float32 and value == want and z.grad.dtype is torch.bfloat16
    with torch.autocast("cuda", torch.bfloat16):
        assert GJS()(z, labels.cuda()) == want


def test_float64_and_mixed_devices_are_refused():
    logits, labels = batch(2, 8, 4)
    with pytest.raises(TypeError, match="float32"):
        GJS()(logits.cuda().double(), labels.cuda())
    with pytest.raises(ValueError, match="something else on"):
        GJS()(logits.cuda(), labels)


def test_the_current_stream_and_a_captured_graph():
    logits, labels = batch(2, 128, 10)
    z, y = logits.cuda().requires_grad_(), labels.cuda()
    want = torch.autograd.grad(GJS()(z, y), z)[0]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        assert torch.equal(torch.autograd.grad(GJS()(z, y), z)[0], want)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    still = z.detach().clone().requires_grad_()
    with torch.cuda.graph(graph):
        gradient = torch.autograd.grad(GJS()(still, y), still)[0]
    for seed in (1, 2):
        new = batch(2, 128, 10, seed)[0].cuda().requires_grad_()
        with torch.no_grad():
            still.copy_(new)
        graph.replay()
        assert torch.equal(gradient, torch.autograd.grad(GJS()(new, y), new)[0])


def test_compiled():
    logits, labels = batch(2, 64, 10)
    criterion = GJS()

    @torch.compile(fullgraph=True)
    def step(z, y):
        return criterion(2.0 * z, y)

    z, y = logits.cuda().requires_grad_(), labels.cuda()
    value = step(z, y)
    value.backward()
    other = z.detach().clone().requires_grad_()
    want = criterion(2.0 * other, y)
    want.backward()
    assert torch.allclose(value, want) and torch.allclose(z.grad, other.grad)


def test_a_graph_can_be_gone_through_twice():
    logits, labels = batch(2, 64, 10)
    z = logits.cuda().requires_grad_()
    value = 3.0 * GJS()(z, labels.cuda())
    first = torch.autograd.grad(value, z, retain_graph=True)[0].clone()
    second = torch.autograd.grad(2.0 * value, z)[0]
    assert torch.equal(2.0 * first, second) and first.abs().max() > 0


def test_no_memory_is_lost():
    logits, labels = batch(2, 256, 100)
    z, y = logits.cuda().requires_grad_(), labels.cuda()
    GJS()(z, y).backward()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(1000):
        GJS()(z, y).backward()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before
