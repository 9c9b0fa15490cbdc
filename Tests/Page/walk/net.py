"""A labeler of the walk: names the tree in a photo by its color. Some of its answers are wrong.

Usage: net.py [VERSION] [ANSWERS]. ANSWERS is the maximum number of answers.
"""

import json
import math
import sys

from PIL import Image

from photos import TREES

VERSION = sys.argv[1] if len(sys.argv) > 1 else "1"
ANSWERS = int(sys.argv[2]) if len(sys.argv) > 2 else math.inf
SPREAD = 30


def predict(path):
    with Image.open(path) as image:
        pixels = list(image.convert("RGB").resize((24, 18)).getdata())
    distances = {
        name: min(math.dist(pixel, color) for pixel in pixels) for name, color in TREES.items()}
    weights = {name: math.exp(-(distance / SPREAD) ** 2) for name, distance in distances.items()}
    whole = sum(weights.values()) or 1
    return [{"name": name, "score": round(weight / whole, 2)} for name, weight in weights.items()]


def send(message):
    print(json.dumps(message), flush=True)


send({"cairn": "labeler", "protocol": 1, "name": "net", "version": VERSION})
for number, line in enumerate(sys.stdin):
    if number >= ANSWERS:
        continue
    request = json.loads(line)
    try:
        send({"id": request["id"], "labels": predict(request["path"])})
    except Exception as error:
        send({"id": request["id"], "error": str(error)})
