"""Every public name says what it is, and the stubs of the extension name what the extension has."""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
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


NAMES = {name: value for module in (jensen, jensen.torch, jensen.noise, jensen.theory, jensen.weights)
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


def test_the_stub_of_the_losses_has_every_class_with_its_parameters():
    import stub

    assert stub.PATH.read_text(encoding="utf-8") == stub.text(), "run python/tests/stub.py"


def test_what_is_public_is_exported_by_name():
    own = {n for n, v in vars(jensen).items() if not n.startswith("_") and not isinstance(v, types.ModuleType)}
    assert own | {"noise", "theory", "weights"} == set(jensen.__all__)


SCRIPT = """
import pathlib

import numpy as np
import torch
import jensen
import jensen.noise
from jensen.torch import CE, GJS, Loss

criterion: torch.nn.Module = GJS(pi1=0.5)
value: torch.Tensor = CE(weight=torch.ones(3), reduction="none")(torch.zeros(2, 3), torch.tensor([0, 1]))
value = Loss("gjs")([torch.zeros(2, 3), torch.zeros(2, 3)], torch.tensor([0, 1]))
rate: float = jensen.noise.symmetric([0, 1, 2], 0.4, seed=1).real_rate
run: jensen.Run = jensen.Run(pathlib.Path("runs/x"))
study: jensen.Study = jensen.create_study("first", pathlib.Path("photos"), {"lr": [0.1, 0.2]}, seeds=3)
best: float = jensen.run_study("first", folder=pathlib.Path("runs"), on_run=print).best[0].value
pipeline: jensen.Augment = jensen.augment("weak", size=(8, 8), mean=[0.5, 0.5, 0.5])
at = jensen.loss("ce", torch.zeros(2, 3), [0, 1], weight=[1.0, 2.0, 3.0])
at = jensen.loss("gjs", [np.zeros((2, 3)), np.zeros((2, 3))], np.array([0, 1]))
first = jensen.audit(np.array([0, 1]), np.eye(2)).suspects[:3]
try:
    images = jensen.augment("strong", views=2)(np.zeros((2, 8, 8, 3), np.uint8), index=range(2))
except jensen.Error as error:
    print(error)
"""


def test_a_type_checker_knows_the_names(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    site = pathlib.Path(jensen.__file__).parents[1]
    # mypy refuses to be told of the folder that it finds by itself
    told = {} if site.name == "site-packages" else {"MYPYPATH": str(site)}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "script.py"]
    found = subprocess.run(command, cwd=tmp_path, env={**os.environ, **told}, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_extension_takes_no_lengths_beside_texts():
    """A wheel of Python 3.13's headers fails at "y#" and the like where Python is older."""
    native = pathlib.Path(__file__).parents[1] / "native"
    files = sorted(native.glob("*.c"))
    assert files
    for file in files:
        formats = re.findall(r'Py(?:_BuildValue|Arg_ParseTuple|Object_CallFunction)\([^"]*"([^"]*)"', file.read_text("utf-8"))
        assert not [text for text in formats if "#" in text], file.name
