"""Every public name says what it is, and the stubs of the extension name what the extension has."""
import ast
import inspect
import pathlib
import types

import pytest

import jensen
from jensen import _native

pytest.importorskip("torch")
import jensen.torch  # noqa: E402


def public(module):
    for name, value in sorted(vars(module).items()):
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("jensen"):
            if not isinstance(value, types.ModuleType):
                yield f"{module.__name__}.{name}", value


NAMES = {name: value for module in (jensen, jensen.torch, jensen.noise, jensen.theory)
         for name, value in public(module) if callable(value)}


def test_there_are_names():
    assert {"jensen.Run", "jensen.train", "jensen.torch.Loss", "jensen.noise.symmetric"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_a_docstring(name):
    value = NAMES[name]
    assert (inspect.getdoc(value) or "").strip(), f"{name} has no docstring"
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return
    for member, thing in vars(value).items():
        if not member.startswith("_") and (callable(thing) or isinstance(thing, property)):
            assert (inspect.getdoc(thing) or "").strip(), f"{name}.{member} has no docstring"


def test_the_stubs_name_what_the_extension_has():
    stub = pathlib.Path(jensen.__file__).with_name("_native.pyi")
    named = set()
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            named.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            named.add(node.target.id)
    has = {name for name in vars(_native) if not name.startswith("__")}
    assert named - has == set(), "named by the stub alone"
    assert has - named == set(), "missing in the stub"
