"""notebooks.py FILE.ipynb ... - runs notebooks from top to bottom: no cell fails, and what is printed is what was saved.

In a cell with the tag "measured" the numbers may differ by a quarter, or by 5, since processors round otherwise.
"""
import re
import sys
import time

import nbformat
from nbclient import NotebookClient

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def printed(cell):
    """What a cell printed, whole, and how many pictures it made."""
    outputs = cell.get("outputs", [])
    return ("".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stdout"),
            sum("image/png" in o.get("data", {}) for o in outputs))


def alike(saved, now, measured):
    if saved == now or not measured:
        return saved == now
    numbers = zip(map(float, NUMBER.findall(saved[0])), map(float, NUMBER.findall(now[0])))
    return (NUMBER.sub("0", saved[0]), saved[1]) == (NUMBER.sub("0", now[0]), now[1]) and all(
        abs(one - two) <= max(5, 0.25 * one) for one, two in numbers)


failed = False
for path in sys.argv[1:]:
    start = time.monotonic()
    notebook = nbformat.read(path, 4)
    saved = [printed(cell) for cell in notebook.cells]
    NotebookClient(notebook, timeout=500, kernel_name="python3").execute()
    other = [number for number, (before, cell) in enumerate(zip(saved, notebook.cells))
             if not alike(before, printed(cell), "measured" in cell.metadata.get("tags", []))]
    failed = failed or bool(other)
    print(f"{path}: {len(saved)} cells, {time.monotonic() - start:.0f} s" +
          (f"; FAILED: cells {other} print something else than was saved" if other else ""))
sys.exit(failed)
