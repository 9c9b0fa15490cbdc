"""Makes the dataset of the benchmark: photos at pins, with labels of a model and of a person."""

import io
import struct
import sys

import photos
from PIL import Image

PHOTOS_PER_PIN = 10
CLASSES = 40
# Different pictures; the files differ in their metadata, too, so each photo is one of its own.
PICTURES = 500
SIDE = (400, 300)


def segment(marker, content):
    """Returns a JPEG segment."""
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def pictures():
    """Yields JPEG files without metadata, each without its first marker."""
    for number in range(PICTURES):
        image = photos.landscape(list(photos.TREES)[number % 3], number).resize(SIDE)
        file = io.BytesIO()
        image.save(file, "JPEG", quality=80)
        yield file.getvalue()[2:]


def write_photos(directory, count):
    """Writes `count` JPEG files, ten at each point of a grid over Europe."""
    plain = list(pictures())
    columns = 125
    for start in range(0, count, 1000):
        (directory / f"{start:06}").mkdir(parents=True)
    for number in range(count):
        place = number // PHOTOS_PER_PIN
        day, minute = number * 365 // count, number % 1440
        time = f"2025:{1 + day // 31:02}:{1 + day % 28:02} {minute // 60:02}:{minute % 60:02}:00"
        exif = photos.exif(
            36 + place // columns * 0.3, -10 + place % columns * 0.3, time).tobytes()
        path = directory / f"{number // 1000 * 1000:06}" / f"{number:06}.jpg"
        path.write_bytes(
            b"\xFF\xD8" + segment(0xE1, exif) + segment(0xFE, b"%d" % number)
            + plain[number * 7919 % PICTURES])


def make(workspace, name, count):
    """Makes the dataset, and returns it."""
    source = workspace.root / "source"
    if not source.exists():
        write_photos(source, count)
    workspace.run(workspace.cairn, "init", name, "--name", "Benchmark")
    dataset = workspace.dataset(name)
    dataset.cairn("photo", "add", source, "--pin", "auto:500m", "--quiet")
    dataset.cairn("commit", "--message", "Photos")
    label(dataset)
    dataset.cairn("commit", "--message", "Labels")
    return dataset


def label(dataset):
    """Labels two fifths of the photos as a model, and some of these as a person."""
    names = [f"class {number:02}" for number in range(CLASSES)]
    for number, name in enumerate(names):
        month = f"2025-{1 + number % 12:02}"
        confidence = round(0.3 + number % 7 * 0.1, 2)
        days = range(1 + number % 3, 29, 3 if number % 2 else 6)
        query = " OR ".join(f"taken:{month}-{day:02}" for day in days)
        dataset.cairn(
            "label", name, "--find", query, "--as", "net@1", "--confidence", confidence, "--yes", "--quiet")
        # One of the first days of this month that have photos: see `write_photos`.
        person = f"taken:{month}-{1 + (number % 12 * 31 + number % 3) % 28:02}"
        dataset.cairn("label", name, "--find", person, "--yes", "--quiet")
    dataset.cairn("class", "set", "tree", *names[:6])
