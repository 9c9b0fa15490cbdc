"""The notebook, run by nbconvert as in a shell."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

from cairn_data import Dataset

NOTEBOOK = pathlib.Path(__file__).parent / "train.ipynb"


def test_trains_on_confirmed_labels_and_records_a_run(ds: Dataset, tmp_path: pathlib.Path) -> None:
    photos = sorted(ds.photos(), key=lambda photo: photo.source)
    # Alice labels three photos of each color; an earlier model confused red with blue.
    labeled = [photo for photo in photos if not photo.source.endswith("-3.png")]
    ds.label_many([(photo, photo.source.split("-")[0]) for photo in labeled], create=True)
    for photo in labeled:
        ds.label(photo, photo.source.split("-")[0].replace("red", "blue"), model="guess@1", confidence=0.8)
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(NOTEBOOK), "--output-dir",
         str(tmp_path), "--output", "done.ipynb"],
        check=True, env={**os.environ, "CAIRN_DATASET": str(ds.path), "PYTHONPATH": os.pathsep.join(sys.path)})
    cells = json.loads((tmp_path / "done.ipynb").read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    text = "".join("".join(output.get("text", "")) for output in outputs)
    assert "compared 9 photos" in text and "recorded 3 labels" in text
    assert "why: model:mean-color@1 True True" in text
    assert any("image/png" in output.get("data", {}) for output in outputs), "no confusion matrix"
    assert any("data:image/jpeg" in "".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    # The predictions are right, and those of people still count.
    assert {photo.source: photo.classes[0].key for photo in ds.photos("model:mean-color")} == {
        "red-3.png": "red", "green-3.png": "green", "blue-3.png": "blue"}
