"""Runs a file of tests where there is no pytest: `python plain.py FILE`. It knows what test_gpu.py uses:
parametrize, raises, importorskip, skip, and the folder tmp_path."""
import contextlib
import importlib.util
import inspect
import itertools
import pathlib
import re
import sys
import tempfile
import traceback
import types


class Skipped(Exception):
    pass


@contextlib.contextmanager
def raises(kind, match=""):
    try:
        yield
    except kind as error:
        assert re.search(match, str(error)), f"{error} does not match {match!r}"
    else:
        raise AssertionError(f"nothing raised {kind}")


def parametrize(names, values, ids=None):
    def mark(test):
        test.cases = [([name.strip() for name in names.split(",")], list(values)), *getattr(test, "cases", [])]
        return test
    return mark


def importorskip(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(f"no {name}") from None


def skip(reason, allow_module_level=False):
    raise Skipped(reason)


def stand_in():
    """What `import pytest` finds."""
    module = types.ModuleType("pytest")
    module.raises, module.importorskip, module.skip = raises, importorskip, skip
    module.mark = types.SimpleNamespace(parametrize=parametrize)
    return module


def calls_of(test):
    """The arguments of each call of a test, by name."""
    cases = getattr(test, "cases", [])
    for values in itertools.product(*(values for _, values in cases)):
        arguments = {}
        for (names, _), value in zip(cases, values):
            arguments.update(zip(names, value if len(names) > 1 else (value,)))
        yield arguments


def run(path):
    """The number of tests that failed; 1 where the file as a whole is skipped."""
    sys.modules["pytest"] = stand_in()
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    passed, failed, skipped = 0, [], []
    try:
        spec.loader.exec_module(module)
    except Skipped as reason:
        print(f"SKIPPED: {path}: {reason}")
        return 1
    for name, test in list(vars(module).items()):
        if not name.startswith("test_"):
            continue
        for arguments in calls_of(test):
            try:
                with tempfile.TemporaryDirectory() as folder:
                    own = {"tmp_path": pathlib.Path(folder)} if "tmp_path" in inspect.signature(test).parameters else {}
                    test(**arguments, **own)
                passed += 1
            except Skipped as reason:
                skipped.append(f"{name}: {reason}")
            except Exception:
                failed.append(f"{name}{arguments or ''}")
                traceback.print_exc()
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    for line in (*failed, *skipped):
        print(f"    {line}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]) != 0)
