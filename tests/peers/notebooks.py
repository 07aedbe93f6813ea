"""notebooks.py FILE.ipynb ... - runs notebooks from top to bottom: no cell fails, and what is printed is what was saved."""
import sys

import nbformat
from nbclient import NotebookClient


def printed(notebook):
    """By cell: what it printed, whole, and how many pictures it made."""
    return [("".join(o.text for o in cell.get("outputs", []) if o.output_type == "stream" and o.name == "stdout"),
             sum("image/png" in o.get("data", {}) for o in cell.get("outputs", []))) for cell in notebook.cells]


failed = False
for path in sys.argv[1:]:
    notebook = nbformat.read(path, 4)
    saved = printed(notebook)
    NotebookClient(notebook, timeout=170, kernel_name="python3").execute()
    other = [number for number, (one, two) in enumerate(zip(saved, printed(notebook))) if one != two]
    failed = failed or bool(other)
    print(f"{path}: {len(saved)} cells" + (f"; FAILED: cells {other} print something else than was saved" if other else ""))
sys.exit(failed)
