"""Writes images of every kind into a directory, each with the upright pixels that Pillow reads:
NAME.rgb holds red, green and blue, one byte each, with transparent parts on white; NAME.model the
same as convert("RGB") gives them, without alpha; NAME.size holds width and height."""

import random
import struct
import sys
import zlib
from pathlib import Path

from PIL import Image, ImageFilter, ImageOps

folder = Path(sys.argv[1])
random.seed(1)
small = Image.frombytes("RGB", (12, 8), bytes(random.randrange(256) for _ in range(12 * 8 * 3)))
photo = small.resize((120, 80), Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(2))
mask = Image.linear_gradient("L").resize(photo.size)


def transparent(image):
    copy = image.convert("RGBA")
    copy.putalpha(mask)
    return copy


def upright(path):
    with Image.open(path) as written:
        return ImageOps.exif_transpose(written)


def expect(name, image, model=None):
    path = folder / name
    white = Image.new("RGBA", image.size, "white")
    on_white = Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
    path.with_name(name + ".rgb").write_bytes(on_white.tobytes())
    path.with_name(name + ".model").write_bytes((model or image).convert("RGB").tobytes())
    path.with_name(name + ".size").write_text(f"{image.width} {image.height}")


def save(name, image, **options):
    image.save(folder / name, **options)
    expect(name, upright(folder / name))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(name, depth, color, samples, extra=b"", interlaced=False):
    """Writes a PNG of 16 by 12 pixels that Pillow cannot write. Of each pixel, samples(x, y) are the
    bytes. Source: W3C PNG, third edition, 8 “Interlacing and pass extraction”."""
    width, height = 16, 12
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
              (0, 1, 1, 2)] if interlaced else [(0, 0, 1, 1)]
    rows = b""
    for left, top, right, down in passes:
        for y in range(top, height, down):
            line = b"".join(samples(x, y) for x in range(left, width, right))
            rows += b"\0" + line if line else b""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    (folder / name).write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def deep(x, y, count):
    """Samples of 16 bits, whose lower halves would round them up or down."""
    return struct.pack(f">{count}H", *((x * 4099 + y * 5003 + i * 9001) % 65536 for i in range(count)))


def orientation(value):
    exif = Image.Exif()
    exif[0x0112] = value
    return exif


save("plain.jpg", photo, quality=95)
save("progressive.jpg", photo, quality=80, progressive=True)
save("full-color.jpg", photo, quality=90, subsampling="4:4:4")
save("gray.jpg", photo.convert("L"), quality=90)
save("color.png", photo)
save("gray.png", photo.convert("L"))
save("palette.png", photo.quantize(64))
save("two.png", photo.convert("1"))
save("transparent.png", transparent(photo))
save("gray-transparent.png", transparent(photo).convert("LA"))
save("palette-transparent.png", photo.quantize(16), transparency=3)
save("color-key.png", photo, transparency=photo.getpixel((5, 5)))
save("cmyk.jpg", photo.convert("CMYK"), quality=95)
inks = Image.merge("CMYK", [*photo.split(), mask])
save("inks.jpg", inks, quality=95, subsampling="4:4:4")
png("deep-color.png", 16, 2, lambda x, y: deep(x, y, 3))
png("deep-transparent.png", 16, 6, lambda x, y: deep(x, y, 4))
png("deep-gray-transparent.png", 16, 4, lambda x, y: deep(x, y, 2))
gamma = chunk(b"gAMA", struct.pack(">I", 100000))
png("gamma.png", 8, 2, lambda x, y: bytes([15 * x, 20 * y, x * y]), extra=gamma)
png("interlaced.png", 8, 2, lambda x, y: bytes([15 * x, 20 * y, x * y]), interlaced=True)
png("deep-interlaced.png", 16, 6, lambda x, y: deep(x, y, 4), interlaced=True)
for name in ("deep-color", "deep-transparent", "deep-gray-transparent", "gamma", "interlaced",
             "deep-interlaced"):
    expect(name + ".png", upright(folder / f"{name}.png"))
# Pillow clips this kind at 255, which makes nearly all of it white: its upper 8 bits are expected.
png("deep-gray.png", 16, 0, lambda x, y: deep(x, y, 1))
gray = bytes(deep(x, y, 1)[0] for y in range(12) for x in range(16))
expect("deep-gray.png", Image.frombytes("L", (16, 12), gray))
save("lossless.webp", photo, lossless=True)
save("lossy.webp", photo, quality=80)
save("transparent.webp", transparent(photo), lossless=True)
save("moving.webp", photo, save_all=True, append_images=[photo.convert("L")], lossless=True)
for value in range(0, 10):
    save(f"turned-{value}.jpg", photo, quality=95, exif=orientation(value))
    save(f"turned-{value}.png", photo, exif=orientation(value))
    save(f"turned-{value}.webp", photo, lossless=True, exif=orientation(value))
