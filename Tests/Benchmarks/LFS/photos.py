"""Makes photos of 1 MB that do not compress. Usage: photos.py COUNT DIRECTORY."""

import os
import struct
import sys
import zlib

count, directory, side = int(sys.argv[1]), sys.argv[2], 577
os.makedirs(directory)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


for number in range(count):
    rows = b"".join(b"\0" + os.urandom(side * 3) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    with open(f"{directory}/{number:05}.png", "wb") as file:
        file.write(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0))
            + chunk(b"IEND", b""))
