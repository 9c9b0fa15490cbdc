"""A dataset for each test, of photos in a few colors, and a git identity of its own."""
from __future__ import annotations

import pathlib
from typing import Iterator

import pytest
from PIL import Image

import cairn_data

COLORS = {"red": (200, 30, 30), "green": (30, 160, 40), "blue": (30, 40, 190)}


@pytest.fixture
def home(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Alice\n\temail = alice@example.org\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


def paint(folder: pathlib.Path, count: int, side: int = 32) -> None:
    """Writes photos in shades of the colors: red-0.png, green-0.png and so on."""
    folder.mkdir(exist_ok=True)
    for name, (red, green, blue) in COLORS.items():
        for index in range(count):
            Image.new("RGB", (side, side), (red + index, green + index, blue + index)).save(
                folder / f"{name}-{index}.png")


@pytest.fixture
def ds(home: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[cairn_data.Dataset]:
    paint(tmp_path / "photos", 4)
    with cairn_data.create(tmp_path / "walk", name="Walk") as dataset:
        dataset.add(tmp_path / "photos")
        yield dataset
