"""Prints the changed copies of an image for two photos, computed with NumPy from the definitions: for each, the kind,
the width, the height and the CRC-32 of the pixels."""
import zlib

import numpy as np

WORD = 2**64 - 1
y, x, channel = np.mgrid[0:23, 0:37, 0:3]
IMAGE = (5 * x + 3 * y + 40 * channel + x * y // 7) % 256


class Random:
    """SplitMix64; its seed is the FNV-1a hash of the photo's id and the kind."""

    def __init__(self, data):
        self.state = 0xCBF29CE484222325
        for byte in data:
            self.state = (self.state ^ byte) * 0x100000001B3 & WORD

    def next(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & WORD
        bits = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & WORD
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & WORD
        return bits ^ bits >> 31

    def between(self, low, high):
        return low + self.next() % (high - low + 1)


def crop(image, random):
    height, width = (side * 4 // 5 for side in image.shape[:2])
    left = random.between(0, image.shape[1] - width)
    top = random.between(0, image.shape[0] - height)
    return image[top:top + height, left:left + width]


def rotate(image, random):
    tangent = random.between(5, 17)
    sign = 1 if random.between(0, 1) == 0 else -1
    square = tangent**2
    cosine = (16384 - square) * 65536 // (16384 + square)
    sine = sign * (256 * tangent * 65536 // (16384 + square))
    last_row, last_column = (side - 1 for side in image.shape[:2])
    down, right = np.mgrid[-last_row:last_row + 1:2, -last_column:last_column + 1:2]
    column = cosine * right + sine * down + last_column * 65536
    row = cosine * down - sine * right + last_row * 65536
    across, along = ((number >> 9 & 255)[..., None] for number in (column, row))

    def pixels(below, beside):
        return image[np.clip((row >> 17) + below, 0, last_row), np.clip((column >> 17) + beside, 0, last_column)]

    upper, lower = (pixels(below, 0) * (256 - across) + pixels(below, 1) * across for below in (0, 1))
    return upper * (256 - along) + lower * along + 32768 >> 16


def blur(image, random):
    height, width = image.shape[:2]
    weights = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1])
    for _ in range(random.between(1, 4)):
        padded = np.pad(image, ((2, 2), (2, 2), (0, 0)), mode="edge")
        image = sum(weights[i, j] * padded[i:i + height, j:j + width] for i in range(5) for j in range(5)) + 128 >> 8
    return image


def expose(image, random):
    gain = random.between(128, 216) if random.between(0, 1) == 0 else random.between(304, 512)
    return np.minimum(image * gain + 128 >> 8, 255)


def noise(image, random):
    height, width = image.shape[:2]
    words = b"".join(random.next().to_bytes(8, "little") for _ in range(height * width))
    pairs = np.frombuffer(words, np.uint8).reshape(height, width, 4, 2)[:, :, :3].astype(int)
    return np.clip(image + np.trunc((pairs[..., 0] - pairs[..., 1]) / 8).astype(int), 0, 255)


def flip(image, _):
    return image[:, ::-1]


for first in (0, 100):
    for change in (crop, rotate, blur, expose, noise, flip):
        copy = change(IMAGE, Random(bytes(range(first, first + 32)) + change.__name__.encode()))
        pixels = np.ascontiguousarray(copy, np.uint8).tobytes()
        print(change.__name__, copy.shape[1], copy.shape[0], zlib.crc32(pixels))
