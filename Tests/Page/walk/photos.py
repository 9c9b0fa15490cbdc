"""Makes the photos of the walk: small landscapes with a location and a time in their EXIF data."""

import math
import pathlib
import random

from PIL import Image, ImageDraw

# The three pins: name, latitude, longitude.
PINS = [("Harbor", 56.8170, -5.1120), ("North slope", 56.7960, -5.0030), ("Loch", 57.1000, -4.7000)]
# The color of the crown of each tree, by which the labeler `net` tells them apart.
TREES = {"oak": (92, 122, 48), "elm": (140, 150, 60), "pine": (36, 84, 66)}
WIDTH, HEIGHT = 480, 360
ORIENTATION, CAMERA, EXIF, GPS, TAKEN = 0x0112, 0x0110, 0x8769, 0x8825, 0x9003


def degrees(value):
    """Returns an angle as EXIF stores it: degrees, minutes and seconds."""
    minutes = abs(value) % 1 * 60
    return (float(int(abs(value))), float(int(minutes)), round(minutes % 1 * 60, 3))


def exif(latitude, longitude, time, orientation=1):
    data = Image.Exif()
    data[CAMERA] = "Cairn Test"
    data[ORIENTATION] = orientation
    data.get_ifd(EXIF)[TAKEN] = time
    data.get_ifd(GPS).update({
        1: "N" if latitude >= 0 else "S", 2: degrees(latitude),
        3: "E" if longitude >= 0 else "W", 4: degrees(longitude)})
    return data


def landscape(tree, seed):
    """Returns an image of a tree on a slope under a sky; each seed gives a different one."""
    noise = random.Random(seed)
    image = Image.new("RGB", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    warm = noise.randrange(40)
    for y in range(HEIGHT):
        draw.line((0, y, WIDTH, y), fill=(130 + warm + y // 6, 165 + y // 6, 205 + y // 8))
    slope = [(x, HEIGHT * 0.68 + 26 * math.sin(x / 70 + seed)) for x in range(0, WIDTH + 8, 8)]
    ground = (110 + noise.randrange(30), 110 + noise.randrange(20), 70)
    draw.polygon([(0, HEIGHT), *slope, (WIDTH, HEIGHT)], fill=ground)
    for _ in range(160):
        x, y = noise.randrange(WIDTH), noise.randrange(int(HEIGHT * 0.8), HEIGHT)
        draw.line((x, y, x + noise.randrange(-4, 5), y - 9), fill=(86, 96 + noise.randrange(50), 52))
    x, top, bottom = noise.randrange(150, 330), HEIGHT * 0.12 + noise.randrange(40), HEIGHT * 0.8
    draw.rectangle((x - 9, HEIGHT * 0.5, x + 9, bottom), fill=(84, 62, 44))
    for _ in range(420):
        height = noise.random()
        width = 100 * height if tree == "pine" else 105 * math.sin(math.pi * (0.15 + 0.8 * height))
        leaf_x = x + noise.uniform(-1, 1) * width
        leaf_y = top + height * (HEIGHT * 0.5 if tree != "pine" else HEIGHT * 0.62)
        size = noise.randrange(8, 16)
        color = tuple(value + noise.randrange(-14, 15) for value in TREES[tree])
        draw.ellipse((leaf_x - size, leaf_y - size, leaf_x + size, leaf_y + size), fill=color)
    return image


def make(directory, count):
    """Writes `count` photos, a third at each pin, over four days; returns their paths."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True)
    paths = []
    for number in range(count):
        tree = list(TREES)[number % 3]
        _, latitude, longitude = PINS[number // 3 % 3]
        image = landscape(tree, number)
        # Some cameras store a photo sideways and say so.
        orientation = 6 if number % 7 == 3 else 1
        if orientation == 6:
            image = image.transpose(Image.Transpose.ROTATE_90)
        time = f"2026:05:{3 + number * 4 // count:02} 1{number % 9}:{number % 60:02}:00"
        path = directory / f"{tree}-{number:03}.jpg"
        image.save(path, quality=86, exif=exif(
            latitude + number % 5 * 0.0004, longitude + number % 4 * 0.0006, time, orientation))
        paths.append(path)
    return paths


def make_tiny(directory, count, seed=1):
    """Writes `count` different images of 64 × 48 pixels, for edits of many photos."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True)
    noise = random.Random(seed)
    for number in range(count):
        image = Image.frombytes("RGB", (8, 6), noise.randbytes(8 * 6 * 3))
        image.resize((64, 48), Image.Resampling.BICUBIC).save(directory / f"tiny-{number:05}.jpg")
    return directory
