"""The Python of docs/python.md runs as printed, on small data and for few epochs."""
import lzma
import pathlib
import sqlite3

import numpy as np
import pytest

import jensen

torch = pytest.importorskip("torch")
image_module = pytest.importorskip("PIL.Image")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks():
    """Indented blocks that are Python."""
    found, block = [], []
    for line in [*(ROOT / "docs" / "python.md").read_text(encoding="utf-8").split("\n"), "end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif block and line:
            found.append("\n".join(block))
            block = []
        elif block:
            block.append("")
    return [text for text in found if not text.startswith(("scripts/", "pip "))]


def write_photos(folder, random):
    for name, level in (("cat", 0), ("dog", 120)):
        (folder / "photos" / name).mkdir(parents=True)
        for i in range(8):
            pixels = random.integers(0, 100, (32, 32, 3), np.uint8) + np.uint8(level)
            image_module.fromarray(pixels).save(folder / "photos" / name / f"{i}.png")
    image_module.fromarray(pixels).save(folder / "new.jpg")


def names_of(text, random):
    """What the reader has, by what the block is about."""
    images = random.integers(0, 256, (6, 32, 32, 3), np.uint8)
    if "torchvision_dataset" in text:
        layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 4))
        return {"torchvision_dataset": [(image, 0) for image in images], "torch": torch, "model": layers,
                "criterion": jensen.torch.GJS()}
    if "criterion" in text:
        return {"model": torch.nn.Linear(6, 4), "views": [torch.randn(3, 6), torch.randn(3, 6)],
                "labels": torch.tensor([0, 1, 2])}
    if "posteriors" in text:
        return {"labels": np.arange(40) % 4, "posteriors": 0.04 + 0.84 * np.eye(4)[np.arange(40) % 4]}
    if "jensen.Classifier" in text:
        return {"X": images, "y": np.arange(6) % 2}
    return {"images": images, "indices": np.arange(6), "image": images[0], "labels": np.arange(1000) % 10,
            "logits": random.normal(size=(1000, 10))}


def test_every_block_runs(tmp_path, monkeypatch):
    random = np.random.default_rng(0)
    write_photos(tmp_path, random)
    store = tmp_path / "jensen.db"
    with lzma.open(ROOT / "docs" / "results" / "studies.db.xz") as packed:
        store.write_bytes(packed.read())
    with sqlite3.connect(store) as base:
        base.execute("update studies set study_name = 'first' where study_id = (select min(study_id) from studies)")
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("pandas")
    small = {"epochs": 1, "network": "mlp"}
    train, classifier, create = jensen.train, jensen.Classifier, jensen.create_study
    monkeypatch.setattr(jensen, "train", lambda *given, **options: train(*given, **{**options, **small}))
    monkeypatch.setattr(jensen, "Classifier", lambda **options: classifier(**{**options, **small, "val_fraction": 0}))
    monkeypatch.setattr(jensen, "create_study", lambda *given, **options: create(*given, **{**options, **small, "seeds": 1}))
    kept = {"jensen": jensen}
    monkeypatch.setenv("JENSEN_CACHE", str(tmp_path / "cache"))
    made = train("builtin:size=40,test=10", network="cnn:width=4", epochs=1, max_steps=1, batch=10, out="made")
    (tmp_path / "model.safetensors").write_bytes((pathlib.Path(made.path) / "model.safetensors").read_bytes())
    count = 0
    for text in blocks():
        names = {**kept, **names_of(text, random)}
        for line in text.split("\n\n"):
            exec(compile(line, "docs/python.md", "exec"), names)
        if "run" in names:
            kept["run"] = names["run"]
        count += 1
    assert count >= 12
