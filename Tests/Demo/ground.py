#!/usr/bin/env python3
"""A labeler for cairn that is small enough to read: what is the ground of a photo, by its color?

    cairn labeler add ground --program python3 ground.py

It knows the usual colors of grass, heather, rock and water; the lower third of a photo is the ground. It
needs Python and djpeg (of libjpeg-turbo), and no network. “Labelers” in cairn's documentation has the
protocol that it speaks.
"""

import json
import math
import shutil
import subprocess
import sys

# Shares of red, green and blue.
COLORS = {
    "grass": (0.31, 0.42, 0.27),
    "heather": (0.39, 0.28, 0.33),
    "rock": (0.35, 0.34, 0.31),
    "water": (0.27, 0.31, 0.42),
}
# How far a color usually is from these.
SPREAD = 0.05


def ground(path):
    """Returns the color of the lower third of a JPEG file."""
    command = ["djpeg", "-scale", "1/8", "-rgb", "-pnm", path]
    image = subprocess.run(command, capture_output=True)
    if image.returncode != 0:
        raise ValueError(image.stderr.decode(errors="replace").strip())
    width, height = map(int, image.stdout.split(maxsplit=3)[1:3])
    lower = image.stdout[-3 * width * math.ceil(height / 3) :]
    sums = [sum(lower[channel::3]) for channel in range(3)]
    if sum(sums) == 0:
        raise ValueError("it is black")
    return [value / sum(sums) for value in sums]


def predict(path):
    found = ground(path)
    weights = {
        name: math.exp(-math.dist(found, color) ** 2 / (2 * SPREAD**2))
        for name, color in COLORS.items()
    }
    whole = sum(weights.values())
    return [{"name": n, "score": round(w / whole, 2)} for n, w in weights.items()]


def say(message):
    print(json.dumps(message, allow_nan=False), flush=True)


if not shutil.which("djpeg"):
    sys.exit("djpeg is not installed")
say({"cairn": "labeler", "protocol": 1, "name": "ground", "version": "1"})
for line in sys.stdin:
    request = json.loads(line)
    try:
        say({"id": request["id"], "labels": predict(request["path"])})
    except Exception as error:
        say({"id": request["id"], "error": str(error)})
