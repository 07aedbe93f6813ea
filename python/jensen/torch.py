"""The losses as PyTorch modules.

>>> import torch
>>> import jensen.torch
>>> criterion = jensen.torch.GJS(pi1=0.5)          # or Loss("gjs:pi1=0.5")
>>> logits = torch.tensor([[[2.0, 0.5], [0.1, 0.2]], [[1.0, 0.0], [0.3, 0.2]]], requires_grad=True)
>>> value = criterion(logits, torch.tensor([0, 1]))  # (views, samples, classes), labels
>>> value.backward()
>>> logits.grad.shape
torch.Size([2, 2, 2])

Value and gradient come from one call of the C library, which reads and writes the memory of
the tensors. A loss is the operator ``torch.ops.jensen.loss``, so ``torch.compile`` keeps it in
its graph.
"""
from __future__ import annotations

import inspect
import os
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import torch
from torch import Tensor, nn

from . import _native
from ._run import as_module
from ._array import text, whole
from ._loss import LABELS_32, LABELS_64, REDUCTIONS, SOFT, LossInfo, losses, native, reduction_code

__all__ = ["Loss", "loss", "pretrained"]

_NONE = 2  # the code of the reduction that keeps the samples
_LARGE = 1 << 18  # bytes of a gradient whose memory is worth keeping for the next one
# Whether torch.func is at work: grad, vmap and the like.
_transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: False)


def _address(tensor: Optional[Tensor]) -> int:
    return 0 if tensor is None else tensor.data_ptr()


def _plain(tensor: Tensor) -> Tensor:
    """The numbers in a row in memory; a tensor may only be marked as the negative of what is there."""
    return (tensor.resolve_neg() if tensor.is_neg() else tensor).contiguous()


def _double(weights: Optional[Tensor]) -> Optional[Tensor]:
    return None if weights is None else _plain(weights.detach().to(torch.float64))


def _gradient_of(logits: Tensor) -> Tensor:
    """Room for the gradient: where it is large, the memory of the one that was freed last."""
    size = logits.numel() * logits.element_size()
    if size < _LARGE:
        return torch.empty_like(logits)
    return torch.frombuffer(_native.Block(size), dtype=logits.dtype).view(logits.shape)


def _evaluate(
    logits: Tensor, target: Tensor, weight: Optional[Tensor], sample_weight: Optional[Tensor],
    spec: str, reduction: int, ignore_index: int, grad: bool,
) -> tuple[Tensor, Tensor]:
    """Value, and gradient of the mean (or, for the other reductions, of the sum)."""
    dtype = logits.dtype
    if dtype is not torch.float32 and dtype is not torch.float64:
        logits = logits.float()
    logits = _plain(logits)
    shape = logits.shape
    views = shape[0] if len(shape) == 3 else 1
    samples, classes = shape[-2], shape[-1]
    kind = LABELS_32 if target.dtype is torch.int32 else LABELS_64 if target.dim() == 1 else SOFT
    target = _plain(target.to(logits.dtype) if kind == SOFT else target)
    weight, sample_weight = _double(weight), _double(sample_weight)
    value = logits.new_empty(samples if reduction == _NONE else ())
    gradient = _gradient_of(logits) if grad else logits.new_empty(0)
    evaluator = native(spec)
    if samples == 0 and reduction != 0 and views > 0 and classes > 0:  # a sum of nothing
        return value.zero_(), gradient
    evaluator.evaluate(
        views, samples, classes, logits.dtype is torch.float64, logits.data_ptr(),
        target.data_ptr(), kind, _address(weight), _address(sample_weight), ignore_index, reduction,
        value.data_ptr(), gradient.data_ptr() if grad else 0)
    return value, gradient if gradient.dtype is dtype else gradient.to(dtype)


def _stream(device: torch.device) -> int:
    return torch._C._cuda_getCurrentRawStream(device.index)


def _sample_weights(target: Tensor, weight: Optional[Tensor], sample_weight: Optional[Tensor],
                    ignore_index: int, samples: int) -> Tensor:
    """What the value of each sample is multiplied by."""
    total = target.new_ones(samples, dtype=torch.float64) if sample_weight is None else sample_weight
    if target.dim() == 2:
        return total if weight is None else total * (target.double() @ weight)
    counts = target != ignore_index
    if weight is not None:
        total = total * weight[torch.where(counts, target, 0)]
    return torch.where(counts, total, 0.0)


def _evaluate_gpu(
    logits: Tensor, target: Tensor, weight: Optional[Tensor], sample_weight: Optional[Tensor],
    spec: str, reduction: int, ignore_index: int, grad: bool,
) -> tuple[Tensor, Tensor]:
    """The same on a GPU: started on the current stream, nothing waits."""
    dtype = logits.dtype
    if dtype is torch.float64:
        raise TypeError("on a GPU the losses are evaluated in float32: use logits.float(), or the CPU for float64")
    logits = _plain(logits.float())
    views = logits.shape[0] if logits.dim() == 3 else 1
    samples, classes = logits.shape[-2:]
    soft = target.dim() == 2
    target = _plain(target.float() if soft else target.to(torch.int64))
    weight, sample_weight = _double(weight), _double(sample_weight)
    value = logits.new_empty(())
    values = logits.new_empty(samples, dtype=torch.float64) if reduction == _NONE else None
    gradient = torch.empty_like(logits) if grad else logits.new_empty(0)
    evaluator = native(spec)
    if samples == 0 and reduction != 0 and views > 0 and classes > 0:  # a sum of nothing
        return logits.new_zeros(samples if reduction == _NONE else ()), gradient.to(dtype)
    workspace = torch.empty(_native.gpu_workspace(samples), dtype=torch.uint8, device=logits.device)
    evaluator.launch(
        views, samples, classes, logits.device.index, _stream(logits.device),
        logits.data_ptr(), 0 if soft else target.data_ptr(), target.data_ptr() if soft else 0,
        _address(weight), _address(sample_weight), ignore_index, 0.0 if reduction == 0 else 1.0,
        value.data_ptr(), _address(values), gradient.data_ptr() if grad else 0, workspace.data_ptr())
    if values is not None:
        weights = _sample_weights(target, weight, sample_weight, ignore_index, samples)
        value = torch.where(weights == 0.0, 0.0, weights * values).float()
    return value, gradient if gradient.dtype is dtype else gradient.to(dtype)


class _NotAgain(torch.autograd.Function):
    """The gradient times what comes from above; refuses to be differentiated by the logits."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*given: Any) -> Tensor:
        """Of (logits, gradient, factor); PyTorch before 2.0 puts its context in front."""
        return given[-2] * given[-1]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        """Nothing is kept; torch.func asks for this function."""

    @staticmethod
    def backward(ctx: Any, *above: Tensor) -> None:
        raise RuntimeError("jensen: the gradient of a loss cannot be differentiated again")


def _scale(ctx: Any, gradient: Tensor, above: Tensor) -> Tensor:
    """The gradient of the logits from the gradient of the value."""
    factor = above.to(gradient.dtype)
    if ctx.reduction == _NONE:
        factor = factor.unsqueeze(-1)
    if torch.is_grad_enabled():
        return _NotAgain.apply(ctx.saved_tensors[0], gradient, factor)
    return gradient * factor


class _Eager(torch.autograd.Function):
    """The loss without the dispatcher, which would take longer than a small batch does."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, *rest: Any) -> Tensor:
        wanted = ctx.needs_input_grad[0]
        value, gradient = (_evaluate_gpu if logits.is_cuda else _evaluate)(logits, *rest, wanted)
        if wanted:
            ctx.save_for_backward(logits)
            ctx.gradient = gradient
            ctx.rest = rest
            ctx.reduction = rest[4]
        return value

    @staticmethod
    def backward(ctx: Any, above: Tensor) -> tuple[Optional[Tensor], ...]:
        gradient = ctx.gradient
        if gradient is None:  # given away by an earlier backward pass over the same graph
            logits = ctx.saved_tensors[0]
            gradient = (_evaluate_gpu if logits.is_cuda else _evaluate)(logits, *ctx.rest, True)[1]
        if torch.is_grad_enabled() or above.dim() != 0:
            gradient = _scale(ctx, gradient, above)
        elif not gradient.is_cuda:
            try:
                factor = above.item()
            except RuntimeError:  # stands for several, as of is_grads_batched
                factor = above.to(gradient.dtype)
            if isinstance(factor, float) and factor == 1.0:
                ctx.gradient = None  # whoever gets it may write to it
            else:
                gradient = gradient * factor
        elif gradient.dtype is torch.float32 and above.dtype is torch.float32:
            # In place, and for nothing where the factor is 1, which is known to the GPU alone.
            ctx.gradient = None
            _native.gpu_scale(gradient.device.index, _stream(gradient.device), gradient.data_ptr(), gradient.numel(),
                              above.data_ptr())
        else:
            gradient = _scale(ctx, gradient, above)
        return gradient, None, None, None, None, None, None


class _Functional(torch.autograd.Function):
    """The loss for torch.func, which wants what is computed and what is kept apart."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*arguments: Any) -> tuple[Tensor, Tensor]:
        return torch.ops.jensen.loss(*arguments, True)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(inputs[0], output[1])
        ctx.reduction = inputs[5]

    @staticmethod
    def backward(ctx: Any, above: Tensor, unused: Any) -> tuple[Optional[Tensor], ...]:
        return _scale(ctx, ctx.saved_tensors[1], above), None, None, None, None, None, None


def _checked(evaluate: Callable[..., tuple[Tensor, Tensor]]) -> Callable[..., tuple[Tensor, Tensor]]:
    """The operator takes what anyone gives it, and the extension trusts its caller."""

    def run(logits: Tensor, target: Tensor, weight: Optional[Tensor], sample_weight: Optional[Tensor],
            spec: str, reduction: int, ignore_index: int, grad: bool) -> tuple[Tensor, Tensor]:
        _check(logits, target, weight, sample_weight)
        if reduction not in REDUCTIONS.values():
            raise ValueError(f"no reduction {reduction} (there are: "
                             f"{', '.join(f'{code} for {name}' for name, code in REDUCTIONS.items())})")
        return evaluate(logits, _labels(target), weight, sample_weight, spec, reduction, ignore_index, grad)

    return run


def _register() -> bool:
    """Makes torch.ops.jensen.loss; PyTorch before 2.4 has no way to."""
    if not hasattr(torch.library, "register_autograd"):
        return False
    library = torch.library.Library("jensen", "DEF")
    library.define("loss(Tensor logits, Tensor target, Tensor? weight, Tensor? sample_weight, str spec, "
                   "int reduction, int ignore_index, bool grad) -> (Tensor, Tensor)",
                   tags=(torch.Tag.pt2_compliant_tag,))
    library.impl("loss", _checked(_evaluate), "CPU")
    library.impl("loss", _checked(_evaluate_gpu), "CUDA")

    def fake(logits: Tensor, target: Tensor, weight: Any, sample_weight: Any, spec: str,
             reduction: int, ignore_index: int, grad: bool) -> tuple[Tensor, Tensor]:
        dtype = torch.float64 if logits.dtype is torch.float64 else torch.float32
        value = logits.new_empty(logits.shape[-2] if reduction == _NONE else (), dtype=dtype)
        gradient = torch.empty_like(logits, memory_format=torch.contiguous_format)
        return value, gradient if grad else logits.new_empty(0)

    def keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(inputs[0], output[1])
        ctx.reduction, ctx.grad = inputs[5], inputs[7]

    def backward(ctx: Any, above: Tensor, unused: Any) -> tuple[Optional[Tensor], ...]:
        if not ctx.grad:
            raise RuntimeError("jensen: this value was computed without a gradient; call the operator with grad=True")
        return _scale(ctx, ctx.saved_tensors[1], above), None, None, None, None, None, None, None

    torch.library.register_fake("jensen::loss", fake, lib=library)
    torch.library.register_autograd("jensen::loss", backward, setup_context=keep, lib=library)
    globals()["_library"] = library  # its end would end the operator
    return True


_registered = _register()


def _kind(given: Any) -> str:
    return f"{type(given).__module__}.{type(given).__name__}".removeprefix("builtins.")


def _check(logits: Tensor, target: Tensor, weight: Optional[Tensor],
           sample_weight: Optional[Tensor]) -> None:
    """What can be seen from shapes and types, so that compiled code is checked, too."""
    if logits.layout is not torch.strided:
        raise TypeError(f"logits have the layout {logits.layout}; expected a dense tensor: logits.to_dense()")
    if logits.dim() not in (2, 3):
        raise ValueError(f"logits have the shape {tuple(logits.shape)}; expected (samples, classes), "
                         "(views, samples, classes) or a list of views")
    if not logits.is_floating_point():
        raise TypeError(f"logits are real numbers, not {logits.dtype}")
    if not isinstance(target, Tensor):
        raise TypeError(f"the target is a {_kind(target)}; expected a tensor")
    samples, classes = logits.shape[-2], logits.shape[-1]
    wanted = (samples,) if target.dim() == 1 else (samples, classes)
    if tuple(target.shape) != wanted:
        raise ValueError(f"the target has the shape {tuple(target.shape)}; the logits need labels "
                         f"({samples},) or soft targets ({samples}, {classes})")
    if target.is_floating_point() != (target.dim() == 2) or target.is_complex():
        raise TypeError("labels are whole numbers and soft targets are real ones; the target is "
                        f"{target.dtype} with {target.dim()} dimensions")
    for name, given, count in (("weight", weight, classes), ("sample_weight", sample_weight, samples)):
        if given is None:
            continue
        if not isinstance(given, Tensor):
            raise TypeError(f"{name} is a {_kind(given)}; expected a tensor")
        if tuple(given.shape) != (count,):
            raise ValueError(f"{name} has the shape {tuple(given.shape)}; expected ({count},)")
        if given.is_complex():
            raise TypeError(f"{name}: complex numbers; expected real ones")
    for name, given in (("the target", target), ("weight", weight), ("sample_weight", sample_weight)):
        if given is not None and given.requires_grad:
            raise ValueError(f"{name} wants a gradient; the losses have one for the logits alone: "
                             "detach() it, or weigh the values of reduction='none'")
    if logits.device.type not in ("cpu", "cuda") and not (logits.is_meta and _registered):
        raise ValueError(f"the logits are on {logits.device}; the losses take tensors of a CPU or a GPU of NVIDIA")
    for other in (target, weight, sample_weight):
        if other is not None and other.device != logits.device:
            raise ValueError(f"the logits are on {logits.device}, something else on {other.device}")


def _stack(views: Any) -> Tensor:
    """A list of views as (views, samples, classes)."""
    given = tuple(views) if isinstance(views, Iterable) and not hasattr(views, "__array__") else ()
    if not given or not all(isinstance(view, Tensor) for view in given):
        what = "an empty list" if isinstance(views, (list, tuple)) and not given else \
            f"a {_kind(next((v for v in given if not isinstance(v, Tensor)), views))}"
        raise TypeError(f"the logits are {what}; expected a tensor or a list of tensors, one a view")
    if any(view.shape != given[0].shape for view in given):
        shapes = ", ".join(str(tuple(view.shape)) for view in given)
        raise ValueError(f"the views of the logits have different shapes: {shapes}")
    return torch.stack(given)


def _labels(target: Tensor) -> Tensor:
    """Labels of a type that the library reads; soft targets as they are."""
    if target.dim() == 1 and target.dtype not in (torch.int64, torch.int32):
        return target.to(torch.int64)
    return target


def loss(
    spec: str,
    logits: Union[Tensor, Iterable[Tensor]],
    target: Tensor,
    *,
    weight: Optional[Tensor] = None,
    sample_weight: Optional[Tensor] = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Tensor:
    """A loss of a batch; :class:`Loss` as a function, with the same arguments."""
    if not isinstance(logits, Tensor):
        logits = _stack(logits)
    _check(logits, target, weight, sample_weight)
    if logits.dtype is not torch.float32 and logits.dtype is not torch.float64:
        logits = logits.float()  # out here the gradient, too, is float32 until a loss scale has multiplied it
    arguments = (logits, _labels(target), weight, sample_weight, spec, reduction_code(reduction), ignore_index)
    if type(logits) is Tensor and not logits.is_meta and not (_registered and torch.compiler.is_compiling()):
        return _Functional.apply(*arguments)[0] if _registered and _transformed() else _Eager.apply(*arguments)
    return torch.ops.jensen.loss(*arguments, torch.is_grad_enabled() and logits.requires_grad)[0]


def _class_weights(weight: Any) -> Tensor:
    """A tensor of what was given as one."""
    try:
        return torch.as_tensor(weight)
    except (RuntimeError, TypeError, ValueError):
        raise TypeError(f"weight is a tensor with one number a class, not {weight!r}") from None


def pretrained(name: str) -> nn.Module:
    """Weights of the cache (``jensen weights list``) as a module for evaluation, as :meth:`jensen.Run.model` gives it."""
    if "/" in name or not name:
        raise ValueError(f"{name!r}: a name of weights in the cache has no '/'")
    return as_module(_native.Classifier(name, "cpu", 1, 1, 1))


class Loss(nn.Module):
    """A loss by its spec, for logits of one or several views.

    ``spec`` names the loss and its parameters ("gjs:pi1=0.5"). The other arguments are those of
    ``nn.CrossEntropyLoss``: ``weight`` is one a class, ``reduction`` is "mean", "sum" or
    "none", samples labelled ``ignore_index`` do not count. float16 and bfloat16 logits are
    evaluated in float32, and so is the value.

    Called with logits (samples, classes), (views, samples, classes) or a list of views, and with
    labels (samples,) or soft targets (samples, classes).

    >>> import torch
    >>> from jensen.torch import Loss
    >>> round(Loss("ce")(torch.tensor([[2.0, 0.5, -1.0]]), torch.tensor([0])).item(), 5)
    0.24131
    """

    def __init__(self, spec: str, *, weight: Optional[Tensor] = None, reduction: str = "mean",
                 ignore_index: int = -100) -> None:
        super().__init__()
        self.views = _native.loss_views(text("the spec of a loss", spec))
        reduction_code(reduction)
        self.spec = spec
        self.reduction = reduction
        self.ignore_index = whole("ignore_index", ignore_index, -2**63, 2**63 - 1)
        self.register_buffer("weight", None if weight is None else _class_weights(weight))

    def forward(self, logits: Union[Tensor, Iterable[Tensor]], target: Tensor,
                sample_weight: Optional[Tensor] = None) -> Tensor:
        return loss(self.spec, logits, target, weight=self.weight, sample_weight=sample_weight,
                    reduction=self.reduction, ignore_index=self.ignore_index)

    def extra_repr(self) -> str:
        text = repr(self.spec)
        if self.weight is not None:
            text += f", {len(self.weight)} weights"
        if self.reduction != "mean":
            text += f", reduction={self.reduction!r}"
        if self.ignore_index != -100:
            text += f", ignore_index={self.ignore_index}"
        return text


def _value_text(name: str, value: Any) -> str:
    """A parameter as a spec has it: 0.5, 0.5/0.3/0.2 for a list, or the path of a matrix."""
    if name == "matrix":
        path = text("the path of the matrix", os.fspath(value) if isinstance(value, os.PathLike) else value)
        if "," in path:
            raise ValueError(f"the path of the matrix, {path!r}, has a comma, which separates the parameters of a loss")
        return path
    try:
        if isinstance(value, Sequence) or getattr(value, "ndim", 0) > 0:
            return "/".join(repr(float(v)) for v in value)
        return repr(float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number or a list of numbers, not {value!r}") from None


def _class_name(name: str, names: set[str]) -> str:
    """GJS, JSSqrt, NCERCE: what is itself the short name of a loss stays in capitals."""
    words = name.replace("+", "-").split("-")
    return "".join(w.upper() if w in names and len(w) <= 4 else w.capitalize() for w in words)


def _make_class(info: LossInfo, class_name: str) -> type[Loss]:
    parameters = [p.name for p in info.parameters]

    def __init__(self: Loss, *, weight: Optional[Tensor] = None, reduction: str = "mean",
                 ignore_index: int = -100, **given: Any) -> None:
        unknown = [name for name in given if name not in parameters]
        if unknown:
            raise TypeError(f"{class_name} has no parameter '{unknown[0]}' "
                            f"(there are: {', '.join(parameters) or 'none'})")
        values = ",".join(f"{name}={_value_text(name, value)}" for name, value in given.items()
                          if value is not None)
        Loss.__init__(self, f"{info.name}:{values}" if values else info.name, weight=weight,
                      reduction=reduction, ignore_index=ignore_index)

    named = [inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.initial)
             for p in info.parameters]
    first, *rest = inspect.signature(__init__).parameters.values()
    __init__.__signature__ = inspect.Signature([first, *named, *rest[:-1]])  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{class_name}.__init__"
    lines = [f"    {p.name}: {p.help}" + ("" if p.initial is None else f" ({p.initial:g})")
             for p in info.parameters]
    about = f"{info.summary[:1].upper()}{info.summary[1:]}; the loss '{info.name}' as a module.\n"
    return type(class_name, (Loss,), {
        "__init__": __init__, "__module__": __name__, "__doc__": about + "\n".join(["", *lines]),
        "__slots__": ()})


def _make_classes() -> None:
    rows = losses()
    names = {row.name for row in rows}
    for row in rows:
        class_name = _class_name(row.name, names)
        globals()[class_name] = _make_class(row, class_name)
        __all__.append(class_name)


_make_classes()
