"""Makes JPEGs of 2 megapixels with a GPS position. Usage: photos.py COUNT DIRECTORY.

Each is different: soft colors and grain, so that its file is about as large as that of a photo.
"""

import os
import subprocess
import sys

count, directory = int(sys.argv[1]), sys.argv[2]
width, height = 1632, 1224
os.makedirs(directory)
# All photos share one plane of grain: generating it for each would take minutes.
grain = [byte & 15 for byte in os.urandom(width * height * 3 + count * 31)]
ramp = bytes((x * 200 // width) for x in range(width) for _ in range(3))
plane = bytearray(width * height * 3)
for row in range(height):
    start = row * width * 3
    plane[start : start + width * 3] = bytes(
        a + b + row // 40 for a, b in zip(ramp, grain[start : start + width * 3]))
for number in range(count):
    # The differences: an offset of the pixels, and a square of one color.
    shift = number * 31 * 3 % len(plane)
    pixels = plane[shift:] + plane[:shift]
    square = bytes([number % 256, number // 256 * 40, 128]) * 64
    for row in range(64):
        start = ((row + 100) * width + 100) * 3
        pixels[start : start + len(square)] = square
    name = f"{directory}/{number:05}.jpg"
    subprocess.run(
        ["cjpeg", "-quality", "85", "-outfile", name],
        input=b"P6 %d %d 255\n" % (width, height) + pixels, check=True)
subprocess.run(
    ["exiftool", "-q", "-overwrite_original", "-GPSLatitude=47.5", "-GPSLatitudeRef=N",
     "-GPSLongitude=8.5", "-GPSLongitudeRef=E", "-DateTimeOriginal=2026:05:01 12:00:00",
     directory], check=True)
