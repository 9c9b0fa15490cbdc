"""Prints how many labels and reads per second one process answers, compared with a process for each label.

Usage: CAIRN=…/cairn speed.py [COUNT]
"""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Callable

from PIL import Image

import cairn_data


def measured(what: str, count: int, work: Callable[[], object]) -> None:
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    print(f"{what}: {count / seconds:,.0f} per second ({count} in {seconds:.2f} s)")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        os.environ["HOME"] = folder
        (root / ".gitconfig").write_text("[user]\n\tname = Alice\n\temail = alice@example.org\n")
        (root / "photos").mkdir()
        for index in range(1000):
            Image.new("RGB", (16, 16), (index % 256, index // 256, 7)).save(root / "photos" / f"{index}.png")
        ds = cairn_data.create(root / "walk")
        ds.add(root / "photos")
        photos = list(ds.photos())
        pairs = [(photos[index % 1000], f"class {index // 1000}") for index in range(count)]
        for name in sorted({name for _, name in pairs}):
            ds.label(photos[0], name, create=True)
        measured("labels, one process", count, lambda: ds.label_many(pairs))
        measured("labels of a run", count // 10, lambda: ds.predict(
            lambda batch: [{f"class {index}": 0.5 for index in range(count // 10_000 or 1)} for _ in batch], model="m@1"))
        measured("photos read with find", len(photos), lambda: list(ds.photos()))
        measured("photos read with their labels", len(photos), lambda: list(ds.photos().with_labels()))
        measured("photos read one by one", 1000, lambda: [ds.photo(photo) for photo in photos])
        cairn = os.environ["CAIRN"]
        measured("labels, a process each", 100, lambda: [
            subprocess.run([cairn, "-C", str(ds.path), "label", photo.id, "class 0", "--absent", "--quiet"], check=True)
            for photo in photos[:100]])


if __name__ == "__main__":
    main()
