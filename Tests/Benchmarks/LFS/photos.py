"""Makes photos that do not compress. Usage: photos.py COUNT DIRECTORY [SIDE], by default of 577 pixels, 1 MB."""

import os
import struct
import sys
import zlib

count, directory = int(sys.argv[1]), sys.argv[2]
side = int(sys.argv[3]) if len(sys.argv) > 3 else 577
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
