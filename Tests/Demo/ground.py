#!/usr/bin/env python3
"""A minimal labeler for cairn: it recognizes the ground in a photo by its color.

    cairn labeler add ground --program python3 ground.py

It knows the usual colors of grass, heather, rock and water; the lower third of a photo is the ground. It
reads only PNG files like those of the demo, and needs nothing but Python. “Labelers” in cairn's
documentation describes the protocol.
"""

import json
import math
import struct
import sys
import zlib

# The shares of red, green and blue.
COLORS = {
    "grass": (0.31, 0.42, 0.27),
    "heather": (0.39, 0.28, 0.33),
    "rock": (0.35, 0.34, 0.31),
    "water": (0.27, 0.31, 0.42),
}
# The usual distance of a color from these.
SPREAD = 0.05


def chunks(png):
    """Yields the name and the content of each chunk of a PNG file (PNG, section 5.3)."""
    offset = 8
    while offset < len(png):
        length, name = struct.unpack_from(">I4s", png, offset)
        yield name, png[offset + 8 : offset + 8 + length]
        offset += length + 12


def color(path):
    """Returns the color of the lower third of a PNG file."""
    with open(path, "rb") as file:
        parts = list(chunks(file.read()))
    width, height, *kind = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
    pixels = zlib.decompress(b"".join(content for name, content in parts if name == b"IDAT"))
    row = 1 + 3 * width
    if kind != [8, 2, 0, 0, 0] or any(pixels[::row]):
        raise ValueError("not a PNG of 8-bit RGB pixels without row filters")
    rows = [pixels[y * row + 1 : (y + 1) * row] for y in range(height * 2 // 3, height)]
    sums = [sum(sum(row[channel::3]) for row in rows) for channel in range(3)]
    if sum(sums) == 0:
        raise ValueError("it is black")
    return [value / sum(sums) for value in sums]


def predict(path):
    found = color(path)
    weights = {
        name: math.exp(-math.dist(found, usual) ** 2 / (2 * SPREAD**2))
        for name, usual in COLORS.items()
    }
    whole = sum(weights.values())
    return [{"name": n, "score": round(w / whole, 2)} for n, w in weights.items()]


def send(message):
    print(json.dumps(message, allow_nan=False), flush=True)


if __name__ == "__main__":
    send({"cairn": "labeler", "protocol": 1, "name": "ground", "version": "1"})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            send({"id": request["id"], "labels": predict(request["path"])})
        except Exception as error:
            send({"id": request["id"], "error": str(error)})
