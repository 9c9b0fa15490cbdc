"""Runs the code of the how-to page."""
from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest

import cairn_data
from conftest import paint

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Cairn/Documentation.docc/HowTo/Python.md"


def code(heading: str) -> str:
    """Returns the Python code of a section."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)
    assert section, f"no section {heading}"
    blocks = re.findall(r"```python\n(.*?)```", section[1], re.S)
    assert blocks, f"no code in {heading}"
    return "\n".join(blocks)


def test_page(home: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads, labels, trains and predicts as the page does, on photos by a ridge."""
    paint(tmp_path / "photos", 4)
    monkeypatch.chdir(tmp_path)
    with cairn_data.create("walk") as ds:
        ds.add(tmp_path / "photos")
        ds.command("pin", "add", "56.8", "-5", "--name", "Ridge")
        # The photos of the ridge have labels, and predictions to accept; the others have neither.
        for photo in list(ds.photos()):
            color = photo.name.split("-")[0]
            if color != "blue":
                ds.command("photo", "edit", photo.id, "--pin", "Ridge")
                ds.label(photo, "heather" if color == "red" else "Scots pine", create=True)
                ds.command("label", photo.id, "heather", "--as", "net@1")
        ds.command("remote", "add", "origin", "../walk.git", "--create")
        ds.command("split", "add", "standard", "train=50,test=50")
        first = ds.photos("label:heather").first()
        assert first
        prefix = first.id[:8]

    names: dict[str, Any] = {"transform": lambda image: image.size}
    exec(code("Read"), names)
    assert names["photo"].confirmed()

    exec(code("Label").replace("3fa9", prefix), names)
    ds = names["ds"]
    assert sum(1 for _ in ds.photos("label:heather state:confirmed")) == 8
    assert any(photo.id.startswith(prefix) for photo in ds.photos('label:"Scots pine"'))
    assert (tmp_path / "walk.git" / "HEAD").exists()

    exec(code("Train").replace("data = ", "data = None if no_torch else "), names | {"no_torch": True})

    exec(code("Record predictions"), names)
    # The page withdraws the run at its end.
    runs = ds.command("run", "list")
    assert [run["annotator"] for run in runs] == ["model:heather-net@3"]
    assert runs[0]["withdrawn"]
    ds.close()
