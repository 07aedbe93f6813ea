"""jensen.torch beside autograd of plain formulas, in loops, compiled, pickled, across threads."""
import copy
import gc
import inspect
import io
import math
import pickle
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F

import jensen
import jensen.torch
from formulas import FORMULAS, OTHERS
from jensen.torch import GCE, GJS, Loss

NAMES = [row.name for row in jensen.losses()]
SOFT = {row.name for row in jensen.losses() if row.soft}
PER_SAMPLE = {row.name for row in jensen.losses() if row.per_sample}
registered = hasattr(torch.library, "register_autograd")
needs_registration = pytest.mark.skipif(not registered, reason="PyTorch before 2.4 has no operators from Python")


def batch(views=2, samples=6, classes=5, dtype=torch.float64, seed=0):
    torch.manual_seed(seed)
    logits = torch.randn(views, samples, classes, dtype=dtype).requires_grad_()
    return logits, torch.randint(0, classes, (samples,))


def gradient_of(value, logits):
    return torch.autograd.grad(value, logits)[0]


def assert_close(got, want, what):
    """To 1e-12 of the largest entry, or of 0.01 where all are smaller."""
    apart = (got - want).abs().max().item()
    assert apart <= 1e-12 * max(want.abs().max().item(), 0.01), f"{what}: {apart:.1e} apart"


def spec_with(name, parameters):
    values = ("/".join(map(repr, value)) if isinstance(value, list) else repr(value) for value in parameters.values())
    return name + ":" * bool(parameters) + ",".join(f"{key}={value}" for key, value in zip(parameters, values))


def compare(formula, name, parameters, views, classes, soft):
    if "pi" in parameters and views != len(parameters["pi"]) - 1:
        return
    samples = 12
    torch.manual_seed(classes)
    spec = spec_with(name, parameters)
    logits = torch.randn(views, samples, classes, dtype=torch.float64)
    logits = (8 * logits if "clamp" in parameters else logits).requires_grad_()  # some below 1e-7
    labels = torch.randint(0, classes, (samples,))
    target = torch.softmax(torch.randn(samples, classes, dtype=torch.float64), -1) if soft else \
        F.one_hot(labels, classes).double()
    want = formula(logits, target, **parameters)
    got = Loss(spec, reduction="none" if name in PER_SAMPLE else "mean")(logits, target if soft else labels)
    above = torch.rand_like(want) + 0.5
    assert_close(got, want, f"{spec}, {classes} classes, values")
    assert_close(gradient_of((got * above).sum(), logits), gradient_of((want * above).sum(), logits),
                 f"{spec}, {classes} classes, gradient")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("views", [1, 2, 3])
@pytest.mark.parametrize("soft", [False, True])
def test_value_and_gradient_are_those_of_the_formula(name, views, soft):
    if soft and name not in SOFT:
        pytest.skip("takes only labels")
    for classes in (2, 3, 10, 100):
        for parameters in ({}, *OTHERS.get(name, ())):
            compare(FORMULAS[name], name, parameters, views, classes, soft)


def test_every_loss_has_a_formula_and_every_parameter_a_second_value():
    assert set(FORMULAS) == set(NAMES)
    tried = {name: {key for parameters in several for key in parameters} for name, several in OTHERS.items()}
    assert tried == {row.name: {p.name for p in row.parameters} - {"matrix"}
                     for row in jensen.losses() if row.parameters}


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_a_matrix_comes_from_a_file(name, tmp_path):
    torch.manual_seed(3)
    matrix = torch.softmax(torch.randn(5, 5, dtype=torch.float64) + 3 * torch.eye(5), -1)
    np.save(tmp_path / "t.npy", matrix.numpy())
    logits, labels = batch(views=1)
    log_p = F.log_softmax(logits[0], -1)
    if name == "forward":
        wanted = -torch.log((log_p.exp() @ matrix).gather(1, labels[:, None])).mean()
    else:
        wanted = (-log_p @ torch.linalg.inv(matrix).T).gather(1, labels[:, None]).mean()
    expected = gradient_of(wanted, logits)
    for criterion in (Loss(f"{name}:matrix={tmp_path / 't.npy'}"),
                      getattr(jensen.torch, name.capitalize())(matrix=tmp_path / "t.npy")):
        value = criterion(logits[0], labels)
        assert_close(value, wanted, "value")
        assert_close(gradient_of(value, logits), expected, "gradient")
    with pytest.raises(ValueError, match="a matrix of 5 classes, the logits have 4"):
        Loss(f"{name}:matrix={tmp_path / 't.npy'}")(torch.zeros(2, 4), torch.tensor([0, 1]))
    with pytest.raises(jensen.DataError, match="none.npy"):
        Loss(f"{name}:matrix={tmp_path / 'none.npy'}")(torch.zeros(2, 4), torch.tensor([0, 1]))



@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_formula_is_noticed(name):
    def wrong_value(z, t):
        return FORMULAS[name](z, t) * (1 + 1e-11)

    def wrong_gradient(z, t):
        right = FORMULAS[name](z, t)
        return right + 1e-11 * (right - right.detach())

    for wrong, what in ((wrong_value, "values"), (wrong_gradient, "gradient")):
        with pytest.raises(AssertionError, match=what):
            compare(wrong, name, {}, 2, 10, False)


@pytest.mark.parametrize("name", NAMES)
def test_gradcheck(name):
    logits, labels = batch(samples=3, classes=4)
    for reduction in ("mean", "sum", "none") if name in PER_SAMPLE else ("mean",):
        criterion = Loss(name, reduction=reduction, weight=torch.tensor([1.0, 2.0, 0.5, 1.5]))
        assert torch.autograd.gradcheck(lambda z: criterion(z, labels), logits)


def test_gradcheck_sees_a_wrong_gradient():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return z.sum()

        @staticmethod
        def backward(ctx, above):
            return above * 2 * torch.ones(3, dtype=torch.float64)

    with pytest.raises(RuntimeError):
        torch.autograd.gradcheck(Wrong.apply, torch.ones(3, dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize("arguments", [
    {}, {"reduction": "sum"}, {"reduction": "none"}, {"weight": torch.tensor([1.0, 3.0, 0.5, 0.0, 2.0])},
    {"weight": torch.tensor([1.0, 3.0, 0.5, 1.0, 2.0]), "reduction": "none"}, {"ignore_index": 2}])
def test_cross_entropy_is_that_of_torch(arguments):
    logits, labels = batch(views=1, samples=40)
    logits = logits[0].detach().requires_grad_()
    given = {**arguments, "weight": arguments["weight"].double()} if "weight" in arguments else arguments
    got = jensen.torch.CE(**arguments)(logits, labels)
    want = torch.nn.CrossEntropyLoss(**given)(logits, labels)
    assert torch.allclose(got, want, rtol=1e-12)
    above = torch.rand_like(got)
    assert torch.allclose(torch.autograd.grad(got, logits, above)[0], torch.autograd.grad(want, logits, above)[0],
                          rtol=1e-12, atol=1e-14)


def test_views_as_a_list_or_a_dimension():
    logits, labels = batch()
    criterion = GJS(pi1=0.3)
    assert criterion.views == 2
    whole = criterion(logits, labels)
    parts = criterion([logits[0], logits[1]], labels)
    assert whole == parts
    assert torch.equal(gradient_of(whole, logits), gradient_of(parts, logits))
    flat = criterion(logits.flatten(0, 1).view(2, -1, 5), labels)
    assert flat == whole


def test_memory_is_read_and_written_in_place():
    logits, labels = batch(dtype=torch.float32)
    before = logits.detach().clone()
    turned = logits.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_()
    assert Loss("gjs")(turned, labels) == Loss("gjs")(logits, labels)
    assert torch.equal(logits.detach(), before)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_evaluated_in_float(dtype):
    logits, labels = batch(dtype=dtype)
    value = Loss("gjs")(logits, labels)
    wide = logits.detach().float().requires_grad_()
    want = Loss("gjs")(wide, labels)
    assert value.dtype == torch.float32 and value == want
    assert torch.equal(gradient_of(value, logits), gradient_of(want, wide).to(dtype))


def test_autocast():
    layer, labels = torch.nn.Linear(8, 5), torch.tensor([0, 1, 2])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = layer(torch.randn(3, 8))
        value = Loss("gce")(logits, labels)
    value.backward()
    assert logits.dtype == torch.bfloat16 and value.dtype == torch.float32
    assert torch.isfinite(layer.weight.grad).all()


def test_double_backward_is_refused():
    logits, labels = batch()
    (first,) = torch.autograd.grad(Loss("gjs")(logits, labels), logits, create_graph=True)
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        first.sum().backward()


def test_backward_twice_gives_the_same_gradient():
    logits, labels = batch()
    value = Loss("gjs")(logits, labels)
    value.backward(retain_graph=True)
    first = logits.grad.clone()
    value.backward()
    assert torch.equal(logits.grad, 2 * first)


@pytest.mark.parametrize("arguments, error, sentence", [
    ({"logits": torch.zeros(3)}, ValueError, "shape"),
    ({"logits": torch.zeros(2, 3, dtype=torch.int64)}, TypeError, "real numbers"),
    ({"target": torch.tensor([0, 1, 2])}, ValueError, "labels"),
    ({"target": torch.tensor([0, 7])}, jensen.RangeError, "label 7 of sample 1"),
    ({"target": torch.tensor([0.0, 1.0])}, TypeError, "whole numbers"),
    ({"target": torch.full((2, 3), 1 / 3, requires_grad=True)}, ValueError, "gradient"),
    ({"sample_weight": torch.ones(3)}, ValueError, "sample_weight"),
    ({"logits": torch.tensor([[float("nan"), 0, 0], [0, 0, 0]])}, jensen.NumericError, "not finite"),
])
def test_what_is_wrong_is_said(arguments, error, sentence):
    given = {"logits": torch.zeros(2, 3), "target": torch.tensor([0, 1]), **arguments}
    with pytest.raises(error, match=sentence):
        Loss("ce")(**given)


def test_named_classes_are_the_specs():
    logits, labels = batch()
    for row in jensen.losses():
        found = [c for c in map(jensen.torch.__dict__.get, jensen.torch.__all__)
                 if isinstance(c, type) and c is not Loss and c().spec == row.name]
        assert len(found) == 1 and found[0]()(logits, labels) == Loss(row.name)(logits, labels)
    assert GJS(pi=[0.5, 0.3, 0.2])(logits, labels) == Loss("gjs:pi=0.5/0.3/0.2")(logits, labels)
    assert repr(GCE(q=0.5)) == "GCE('gce:q=0.5')"
    with pytest.raises(TypeError, match="no parameter 'pi1'"):
        GCE(pi1=0.5)
    with pytest.raises(jensen.RangeError):
        GCE(q=5)


def test_pickle_copy_and_state():
    logits, labels = batch()
    criterion = GJS(pi1=0.25, weight=torch.rand(5), reduction="sum")
    want = criterion(logits, labels)
    for other in (pickle.loads(pickle.dumps(criterion)), copy.deepcopy(criterion)):
        assert other(logits, labels) == want
    memory = io.BytesIO()
    torch.save(criterion.state_dict(), memory)
    memory.seek(0)
    fresh = GJS(pi1=0.25, weight=torch.zeros(5), reduction="sum")
    fresh.load_state_dict(torch.load(memory))
    assert fresh(logits, labels) == want


def test_threads():
    logits, labels = batch(samples=200)
    want = gradient_of(GJS()(logits, labels), logits)
    wrong = []

    def work():
        mine = logits.detach().clone().requires_grad_()
        for _ in range(50):
            if not torch.equal(gradient_of(GJS()(mine, labels), mine), want):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_nothing_leaks():
    logits, labels = batch(samples=64, classes=50, dtype=torch.float32)
    criterion = GJS()

    def calls(count):
        for i in range(count):
            logits.grad = None
            criterion(logits, labels).backward()
            if i % 100 == 0:
                with pytest.raises(jensen.RangeError):
                    criterion(logits, labels + 50)
                Loss(f"gce:q=0.{i + 1}")(logits, labels)
        gc.collect()

    calls(2000)
    before = resident()
    calls(10000)
    # A gradient alone has 25 kB: 10,000 lost ones would be 256 MB.
    assert resident() - before < 8 << 20


def test_memory_of_a_large_gradient_is_used_again_when_nobody_holds_it():
    logits, labels = batch(samples=512, classes=100, dtype=torch.float32)
    criterion = GJS()

    def gradient(of):
        logits.grad = None
        criterion(logits, of).backward()
        return logits.grad

    want = [gradient(labels).clone(), gradient((labels + 1) % 100).clone()]
    address = gradient(labels).data_ptr()
    assert gradient(labels).data_ptr() == address
    # What anybody still holds stays as it is: the tensor, a view of it, an array.
    for holds in (lambda g: g, lambda g: g[1, 3:], lambda g: g.numpy(), lambda g: torch.utils.dlpack.to_dlpack(g)):
        held = holds(gradient(labels))
        second = gradient((labels + 1) % 100)
        assert torch.equal(second, want[1])
        again = torch.utils.dlpack.from_dlpack(held) if "PyCapsule" in type(held).__name__ else torch.as_tensor(held)
        assert torch.equal(again, want[0][1, 3:] if again.dim() == 2 else want[0])
        del held, again
    # Written to in place, and of another size in between.
    gradient(labels).mul_(3.0)
    criterion(logits.double(), labels).backward()
    assert torch.equal(gradient(labels), want[0])


def test_large_gradients_do_not_leak():
    logits, labels = batch(samples=512, classes=100, dtype=torch.float32)

    def calls(count):
        for i in range(count):
            logits.grad = None
            GJS()(logits[:, :500 + i % 12], labels[:500 + i % 12]).backward()
        gc.collect()

    calls(100)
    before = resident()
    calls(500)
    assert resident() - before < 8 << 20  # of 200 MB that they had


@needs_registration
def test_operator_checks_of_torch():
    logits, labels = batch(samples=3, classes=4)
    weights = torch.rand(4, dtype=torch.float64)
    for reduction in (0, 1, 2):
        torch.library.opcheck(torch.ops.jensen.loss, (logits, labels, weights, None, "gjs", reduction, -100, True))


@needs_registration
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_compile_in_one_graph(reduction):
    torch._dynamo.reset()
    layer = torch.nn.Linear(8, 5)
    criterion = GJS(reduction=reduction)
    images, labels = torch.randn(2, 6, 8), torch.randint(0, 5, (6,))

    def step(x, y):
        return criterion(layer(x), y).sum()

    want = step(images, labels)
    want_gradient = torch.autograd.grad(want, layer.weight)[0]
    got = torch.compile(step, fullgraph=True, backend="aot_eager")(images, labels)
    assert torch.allclose(got, want)
    assert torch.allclose(torch.autograd.grad(got, layer.weight)[0], want_gradient, atol=1e-7)


@needs_registration
def test_compile_with_inductor():
    torch._dynamo.reset()
    layer, criterion = torch.nn.Linear(8, 5), Loss("gce")
    images, labels = torch.randn(6, 8), torch.randint(0, 5, (6,))
    want = criterion(layer(images), labels)
    try:
        got = torch.compile(lambda x, y: criterion(layer(x), y), fullgraph=True)(images, labels)
    except Exception as error:
        if "compiler" in str(error).lower():
            pytest.skip(f"no compiler for inductor: {error}")
        raise
    assert torch.allclose(got, want)


def test_training_with_five_lines():
    torch.manual_seed(0)
    images, labels = torch.randn(256, 10), torch.randint(0, 3, (256,))
    images[:, :3] += 3 * F.one_hot(labels, 3)
    model, criterion = torch.nn.Linear(10, 3), GJS(pi1=0.5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(50):
        views = torch.stack([images + 0.1 * torch.randn_like(images) for _ in range(2)])
        optimizer.zero_grad()
        criterion(model(views), labels).backward()
        optimizer.step()
    assert (model(images).argmax(1) == labels).float().mean() > 0.95


def test_pretrained_weights_that_are_not_there_are_said(tmp_path, monkeypatch):
    monkeypatch.setenv("JENSEN_CACHE", str(tmp_path))
    with pytest.raises(jensen.DataError, match="no-such-weights"):
        jensen.torch.pretrained("no-such-weights")
    with pytest.raises(ValueError, match="has no '/'"):
        jensen.torch.pretrained("runs/mine")


@pytest.mark.parametrize("name", ["meta", "sparse"])
def test_tensors_without_memory_of_their_own(name):
    if name == "sparse":
        with pytest.raises(TypeError, match="dense tensor"):
            Loss("ce")(torch.zeros(4, 3).to_sparse(), torch.tensor([0, 1, 2, 0]))
    elif registered:  # shapes alone, as PyTorch's own losses give them
        logits = torch.zeros(4, 3, device="meta", requires_grad=True)
        value = Loss("ce", reduction="none")(logits, torch.zeros(4, dtype=torch.int64, device="meta"))
        value.sum().backward()
        assert value.shape == (4,) and value.is_meta and logits.grad.shape == (4, 3)


def test_a_loss_scale_reaches_the_gradient_before_it_is_rounded():
    torch.manual_seed(0)
    logits, labels = (2 * torch.randn(8192, 100)).half(), torch.randint(0, 100, (8192,))
    found = []
    for dtype in (torch.float16, torch.float64):
        mine = logits.clone().to(dtype).requires_grad_()
        (65536.0 * jensen.torch.CE()(mine, labels)).backward()  # the scale that GradScaler starts with
        found.append(mine.grad.double())
    assert (found[0] - found[1]).norm() < 1e-3 * found[1].norm()


def test_who_writes_to_a_gradient_changes_no_later_one():
    logits, labels = batch()
    value = Loss("gjs")(2.0 * logits, labels)
    first = torch.autograd.grad(value, logits, retain_graph=True)[0]
    inner = 2.0 * logits
    value = Loss("gjs")(inner, labels)
    torch.autograd.grad(value, inner, retain_graph=True)[0].zero_()
    assert torch.equal(2.0 * torch.autograd.grad(value, inner)[0], first)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(value, inner)


@pytest.mark.parametrize("arguments, error, sentence", [
    ({"target": [0, 1]}, TypeError, "the target is a list"),
    ({"logits": [[0.0, 1.0]]}, TypeError, "list of tensors"),
    ({"logits": []}, TypeError, "an empty list"),
    ({"logits": [torch.zeros(2, 3), torch.zeros(1, 3)]}, ValueError, "different shapes"),
    ({"sample_weight": [1, 1]}, TypeError, "sample_weight is a list"),
    ({"sample_weight": torch.ones(2, requires_grad=True)}, ValueError, "sample_weight wants a gradient"),
    ({"sample_weight": torch.ones(2, dtype=torch.complex64)}, TypeError, "complex"),
])
def test_what_is_no_tensor_that_fits_is_said(arguments, error, sentence):
    given = {"logits": torch.zeros(2, 3), "target": torch.tensor([0, 1]), **arguments}
    with pytest.raises(error, match=sentence):
        Loss("ce")(**given)


@pytest.mark.parametrize("make, sentence", [
    (lambda: Loss(5), "the spec of a loss is a text"), (lambda: GJS(pi1="half"), "pi1 is a number"),
    (lambda: GJS(0.5), r"GJS.__init__\(\) takes 1 positional"), (lambda: Loss("ce", ignore_index=2.5), "ignore_index")])
def test_what_makes_no_loss_is_said(make, sentence):
    with pytest.raises(TypeError, match=sentence):
        make()


@needs_registration
@pytest.mark.parametrize("change, error", [
    ({0: torch.zeros(3)}, ValueError), ({1: torch.tensor([0])}, ValueError), ({1: torch.zeros(3)}, TypeError),
    ({2: torch.ones(1)}, ValueError), ({3: torch.ones(9)}, ValueError), ({5: 7}, ValueError)])
def test_the_operator_reads_no_memory_that_is_not_there(change, error):
    arguments = [torch.zeros(3, 5), torch.tensor([0, 1, 2]), None, None, "ce", 0, -100, True]
    for place, value in change.items():
        arguments[place] = value
    with pytest.raises(error):
        torch.ops.jensen.loss(*arguments)


@needs_registration
def test_the_operator_takes_labels_of_any_width_and_says_what_it_has_not():
    logits = torch.zeros(3, 5, requires_grad=True)
    value, _ = torch.ops.jensen.loss(logits, torch.tensor([0, 1, 2], dtype=torch.int8), None, None, "ce", 0, -100, False)
    assert value.item() == pytest.approx(math.log(5))
    with pytest.raises(RuntimeError, match="grad=True"):
        value.backward()


def test_named_classes_show_their_parameters():
    parameters = inspect.signature(GCE).parameters
    assert parameters["q"].default == 0.7 and "weight" in parameters and "given" not in parameters
    assert inspect.signature(GJS).parameters["pi"].default is None and GJS(pi=None).spec == "gjs"
