#!/usr/bin/env python3
"""Writes small photos for tests: photos.py DIRECTORY COUNT."""
import pathlib
import random
import sys

from PIL import Image

directory, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
directory.mkdir(parents=True, exist_ok=True)
for number in range(count):
    pixels = random.Random(number).randbytes(24 * 16 * 3)
    Image.frombytes("RGB", (24, 16), pixels).save(directory / f"{number:04}.png")
