"""jensen.torch on a GPU, beside float64 on the CPU. Skipped where there is none. `scripts/gpu_python.py WHEEL`
runs it on a machine with a GPU."""
import concurrent.futures
import copy
import os
import pickle

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


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64], ids=str)
def test_labels_of_any_width(dtype):
    logits, labels = batch(2, 33, 7)
    z = logits.cuda()
    assert torch.equal(GJS()(z, labels.to("cuda", dtype)), GJS()(z, labels.cuda()))


def test_logits_that_are_not_contiguous():
    logits, labels = batch(2, 33, 7)
    across = logits.transpose(0, 1).contiguous().cuda().requires_grad_()
    straight = logits.cuda().requires_grad_()
    far = torch.stack([labels, labels], 1).cuda()[:, 0]
    GJS()(across.transpose(0, 1), far).backward()
    GJS()(straight, labels.cuda()).backward()
    assert torch.equal(across.grad.transpose(0, 1), straight.grad)


def test_a_loss_scale_and_what_comes_from_above():
    logits, labels = batch(1, 64, 10)
    half = logits[0].cuda().half().requires_grad_()
    (GJS()(half, labels.cuda()) * 65536.0).backward()
    full = logits[0].cuda().half().float().requires_grad_()
    GJS()(full, labels.cuda()).backward()
    assert torch.equal(half.grad, (full.grad * 65536.0).half()) and half.grad.isfinite().all()
    with pytest.raises(RuntimeError, match="differentiated again"):
        gradient = torch.autograd.grad(GJS()(full, labels.cuda()), full, create_graph=True)[0]
        gradient.sum().backward()


def test_copies_and_pickles_work_where_the_first_did():
    logits, labels = batch(2, 64, 10)
    criterion = Loss("gjs:pi1=0.3", weight=torch.rand(10) + 0.1).cuda()
    want = criterion(logits.cuda(), labels.cuda())
    for other in (copy.deepcopy(criterion), pickle.loads(pickle.dumps(criterion))):
        assert torch.equal(other(logits.cuda(), labels.cuda()), want)


def test_threads_have_streams_of_their_own():
    criterion = GJS()
    batches = [batch(2, 257 + seed, 100, seed) for seed in range(8)]
    moved = [(z.cuda(), y.cuda()) for z, y in batches]

    def gradient(z, y):
        return torch.autograd.grad(criterion(z, y), z)[0]

    wants = [gradient(z.clone().requires_grad_(), y) for z, y in moved]
    torch.cuda.synchronize()

    def work(z, y, want):
        with torch.cuda.stream(torch.cuda.Stream()):
            same = all(torch.equal(gradient(z.clone().requires_grad_(), y), want) for _ in range(20))
            torch.cuda.current_stream().synchronize()
        return same

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda row: work(*row[0], row[1]), zip(moved, wants)))


def test_data_parallel_with_nccl(tmp_path):
    dist = pytest.importorskip("torch.distributed")
    if not dist.is_available() or not dist.is_nccl_available():
        pytest.skip("PyTorch without NCCL")
    logits, labels = batch(2, 8, 6)
    torch.manual_seed(0)
    layer = torch.nn.Linear(6, 6).cuda()
    alone = copy.deepcopy(layer)
    dist.init_process_group("nccl", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    try:
        model = torch.nn.parallel.DistributedDataParallel(layer, device_ids=[0])
        GJS()(model(logits.cuda()), labels.cuda()).backward()
        torch.cuda.synchronize()
    finally:
        dist.destroy_process_group()
    GJS()(alone(logits.cuda()), labels.cuda()).backward()
    assert torch.allclose(layer.weight.grad, alone.weight.grad, atol=1e-6)


def test_a_run_of_the_package_trains_on_the_gpu(tmp_path):
    run = jensen.train("builtin:size=512,test=100", network="preactresnet34", loss="gjs:pi1=0.5", epochs=1,
                       device="cuda", out=os.path.join(tmp_path, "run"))
    assert run.finished and run.config["device"] == "cuda"
    images = (torch.rand(3, 32, 32, 3) * 255).to(torch.uint8).numpy()
    found = run.predict(images)
    assert found.shape == (3, 10) and abs(found.sum(1) - 1.0).max() < 1e-5
    model = run.model().cuda()
    logits = model(torch.stack([model.transform(image) for image in images]).cuda())
    assert abs(torch.softmax(logits, -1).detach().cpu().numpy() - found).max() < 0.02
