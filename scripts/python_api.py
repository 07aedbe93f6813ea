#!/usr/bin/env python3
"""python_api.py - the reference of the Python package as Markdown on stdout: signatures and docstrings of python/jensen.

The sources are read, not imported, so nothing needs to be built. Public is what jensen/__init__.py imports, and what the
modules noise, theory and torch define."""
import ast
import inspect
import pathlib
import re

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python" / "jensen"
HEAD = """# Python reference

Every name of the package, from its docstrings. Their examples are run by `make test-peers`. [python.md](python.md) shows how
the parts work together.
"""
LOSSES = """### The classes of the losses

Every loss of [losses.md](losses.md) is a class of its own below `Loss`, with its parameters as keywords:
`GJS(pi1=0.5)`, `GCE(q=0.7)`, `NCERCE()`. `weight`, `reduction` and `ignore_index` are those of `Loss`.
"""
TAIL = "\nNext: [losses.md](losses.md) for every loss, [audit.md](audit.md) for wrong labels, [c-api.md](c-api.md) for C.\n"


def parsed(module):
    return ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))


def markdown(text):
    """A docstring: examples as blocks of code, names in backticks."""
    parts = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if block.startswith(">>>"):
            parts.append(f"```python\n{block}\n```")
        else:
            block = re.sub(r":(?:func|class|meth):`([^`]+)`", r"`\1`", block)
            parts.append(block.replace("``", "`"))
    return "\n\n".join(parts) + "\n"


def signature(name, function):
    arguments = function.args
    if arguments.args and arguments.args[0].arg == "self":
        arguments.args.pop(0)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return f"{name}({ast.unparse(arguments)}){returns}".replace(" -> None", "")


def members(node):
    """Methods, properties and fields of a class, as a list."""
    rows, body = [], node.body
    for at, item in enumerate(body):
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            about = markdown(ast.get_docstring(item) or "").split("\n\n")[0].strip().replace("\n", " ")
            is_property = any(getattr(d, "id", "") == "property" for d in item.decorator_list)
            rows.append(f"- `{item.name if is_property else signature(item.name, item)}`: {about}")
        elif isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_"):
            after = body[at + 1] if at + 1 < len(body) else None
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            rows.append(f"- `{item.target.id}: {ast.unparse(item.annotation)}`" + (f": {text.strip()}" if text else ""))
    return "\n".join(rows) + ("\n" if rows else "")


def described(prefix, node):
    is_class = isinstance(node, ast.ClassDef)
    start = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
    text = signature(prefix + node.name, start if is_class and start else node) if start or not is_class else prefix + node.name
    parts = [f"### {prefix}{node.name}\n", f"```python\n{text}\n```\n", markdown(ast.get_docstring(node) or "")]
    return "\n".join(parts + ([members(node)] if is_class else []))


def definitions(module):
    return {n.name: n for n in parsed(module).body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}


def top_level():
    """Names of the package in the order of its imports; the exceptions are in python.md."""
    for node in parsed("__init__").body:
        if isinstance(node, ast.ImportFrom) and node.module not in (None, "_native"):
            found = definitions(node.module)
            for alias in sorted(node.names, key=lambda a: a.name.lower()):
                yield described("jensen.", found[alias.name])


def main():
    print(HEAD)
    print("## jensen\n\nThe exceptions are in [python.md](python.md#exceptions).\n")
    print("\n".join(top_level()))
    for module in ("torch", "noise", "theory"):
        print(f"## jensen.{module}\n\n{markdown(ast.get_docstring(parsed(module)))}")
        for name, node in sorted(definitions(module).items()):
            if not name.startswith("_"):
                print(described(f"jensen.{module}.", node))
        if module == "torch":
            print(LOSSES)
    print(TAIL.strip())


if __name__ == "__main__":
    main()
