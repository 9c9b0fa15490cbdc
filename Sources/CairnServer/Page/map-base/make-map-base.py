#!/usr/bin/env python3
"""Write map-base.bin, the page's offline base map, from Natural Earth 1:50m countries.

Usage: make-map-base.py PACKAGE.deb [OUTPUT]     (OUTPUT: map-base.bin beside this file)

PACKAGE.deb is Debian's r-cran-rnaturalearthdata (`apt-get download r-cran-rnaturalearthdata`).
Needs Python 3.9 and dpkg-deb, not R: an R lazy-load database is an index of compressed objects in
R's serialization. README.md describes the layout of the output.
"""
import gzip
import lzma
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib

DIGITS = 2             # coordinates in units of 0.01 degrees
TOLERANCE = 0.75       # in these units: under one pixel up to zoom 7
TABLE = "countries50"
DATA = "usr/lib/R/site-library/rnaturalearthdata/data/Rdata"


class Object:
    """An R object: its values and its attributes (names, slots of an S4 object)."""

    def __init__(self, values, attributes):
        self.values, self.attributes = values, attributes

    def __getitem__(self, name):
        if name in self.attributes:
            return self.attributes[name]
        return self.values[self.attributes["names"].values.index(name)]


class Reader:
    """Reads R's binary serialization (XDR) as far as data frames and sp polygons need it."""

    def __init__(self, data):
        self.data, self.at, self.references = data, 2, []
        if data[:2] != b"X\n":
            raise ValueError("not an R object in XDR serialization")
        version = self.integers(3)[0]
        if version == 3:
            length = self.integer()            # the name of the native encoding follows
            self.at += length

    def integers(self, count):
        values = struct.unpack_from(f">{count}i", self.data, self.at)
        self.at += 4 * count
        return values

    def integer(self):
        return self.integers(1)[0]

    def reference(self, value):
        self.references.append(value)
        return value

    def pairs(self):
        """Reads a pair list as a dictionary."""
        found = {}
        while True:
            flags = self.integer()
            if flags & 255 in (254, 242):
                return found
            if flags & 255 not in (2, 6):
                raise ValueError(f"expected a pair list at byte {self.at - 4}")
            if flags & 512:
                self.pairs()
            tag = self.item() if flags & 1024 else None
            found[tag] = self.item()

    def item(self):
        flags = self.integer()
        kind = flags & 255
        if kind in (254, 253, 252, 251, 250, 242, 241):       # NULL, the global environment, …
            return None
        if kind == 255:
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind == 1:
            return self.reference(self.item())
        if kind == 9:
            length = self.integer()
            if length < 0:
                return None
            text = self.data[self.at:self.at + length]
            self.at += length
            return text.decode("latin-1" if flags & (1 << 14) else "utf-8")
        if kind in (247, 248, 249):                            # a persistent or package name
            self.integer()
            return self.reference([self.item() for _ in range(self.integer())])
        if kind == 25:
            return Object([], self.pairs())
        if kind in (10, 13):
            values = self.integers(self.integer())
        elif kind == 14:
            count = self.integer()
            values = struct.unpack_from(f">{count}d", self.data, self.at)
            self.at += 8 * count
        elif kind in (16, 19, 20):
            values = [self.item() for _ in range(self.integer())]
        else:
            raise ValueError(f"unknown R type {kind} at byte {self.at - 4}")
        return Object(values, self.pairs() if flags & 512 else {})


def table(package):
    """Returns the data set of the package: an sp::SpatialPolygonsDataFrame."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        with open(os.path.join(folder, DATA + ".rdx"), "rb") as file:
            compressed = file.read()
        with open(os.path.join(folder, DATA + ".rdb"), "rb") as file:
            objects = file.read()
    unpack = gzip.decompress if compressed[:2] == b"\x1f\x8b" else zlib.decompress
    start, length = Reader(unpack(compressed)).item()["variables"][TABLE].values
    record = objects[start:start + length]
    if record[4:5] != b"Z":                    # 4 bytes of length, then the kind of compression
        raise ValueError("the database is not compressed with LZMA")
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
    data = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(record[5:])
    return Reader(data).item()


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def units(value):
    return round(value * 10 ** DIGITS)


def ring(polygon):
    """Returns one ring as bytes, or None when it vanishes at this precision."""
    numbers = polygon["coords"].values
    half = len(numbers) // 2                                   # a matrix is stored by columns
    points = []
    for point in zip(map(units, numbers[:half]), map(units, numbers[half:])):
        if points and point == points[-1]:
            continue
        points.append(point)
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    if len(points) > 12:
        points = simplified(points)
    if len(points) < 3:
        return None
    out = bytearray([1 if polygon["hole"].values[0] else 0]) + varint(len(points))
    x, y = 0, 0
    for longitude, latitude in points:
        out += zigzag(longitude - x) + zigzag(latitude - y)
        x, y = longitude, latitude
    return bytes(out)


def simplified(points):
    """Leaves out points within TOLERANCE units of the line between their neighbors
    (Douglas and Peucker). Small islands are left as they are."""
    # Both halves of a ring end at its first point and at the point farthest from it.
    middle = max(range(len(points)), key=lambda index: distance(points[index], points[0], points[0]))
    kept, pending = {0, middle}, [(0, middle), (middle, len(points))]
    while pending:
        first, last = pending.pop()
        start, end = points[first], points[last % len(points)]
        inner = range(first + 1, last)
        farthest = max(inner, key=lambda index: distance(points[index], start, end), default=None)
        if farthest is not None and distance(points[farthest], start, end) > TOLERANCE:
            kept.add(farthest)
            pending += [(first, farthest), (farthest, last)]
    return [points[index] for index in sorted(kept)]


def distance(point, start, end):
    """Returns the distance of a point from the segment between two others."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    along = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / length if length else 0
    along = min(1, max(0, along))
    return math.hypot(point[0] - start[0] - along * dx, point[1] - start[1] - along * dy)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    output = sys.argv[2] if len(sys.argv) == 3 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "map-base.bin")
    countries = table(sys.argv[1])
    rows = countries["data"]
    rings, names, points = [], [], 0
    for index, country in enumerate(countries["polygons"].values):
        parts = [(part, ring(part)) for part in country["Polygons"].values]
        rings += [encoded for _, encoded in parts if encoded]
        points += sum(len(part["coords"].values) // 2 for part, _ in parts)
        largest = max((part for part, _ in parts), key=lambda part: part["area"].values[0])
        name = text(rows["name"], index)
        rank = min(10, max(0, int(rows["labelrank"].values[index])))
        longitude, latitude = largest["labpt"].values
        encoded = name.encode()[:255]
        names.append((rank, bytes([rank]) + zigzag(units(longitude)) + zigzag(units(latitude))
                      + bytes([len(encoded)]) + encoded))
    names.sort(key=lambda entry: entry[0])
    with open(output, "wb") as file:
        file.write(b"CNE1" + bytes([DIGITS]) + struct.pack("<I", len(rings)) + b"".join(rings)
                   + struct.pack("<I", len(names)) + b"".join(entry for _, entry in names))
    print(f"{output}: {os.path.getsize(output)} bytes, {len(rings)} rings of {points} points, "
          f"{len(names)} names")


def text(column, index):
    """Returns a text of a column, which is a factor or a character vector."""
    if "levels" in column.attributes:
        return column["levels"].values[column.values[index] - 1]
    return column.values[index]


if __name__ == "__main__":
    main()
