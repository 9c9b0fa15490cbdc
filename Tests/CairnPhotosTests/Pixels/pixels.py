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
sticker = Image.new("RGBA", photo.size)
sticker.paste(photo.resize((31, 20)), (64, 37))
# Its first frame is the part that is not transparent, at even coordinates.
save("sticker.webp", sticker, save_all=True, append_images=[photo], lossless=True)
for value in range(0, 10):
    save(f"turned-{value}.jpg", photo, quality=95, exif=orientation(value))
    save(f"turned-{value}.png", photo, exif=orientation(value))
    save(f"turned-{value}.webp", photo, lossless=True, exif=orientation(value))

# Formats that are stored unchanged, and decoded for people and models.
save("plain.gif", photo.quantize(64))
save("gray.gif", photo.convert("L"))
save("rows.gif", photo.quantize(64), interlace=0)
save("noise.gif", Image.frombytes("L", (200, 150), bytes(random.randrange(256) for _ in range(30000))))
save("transparent.gif", photo.quantize(16), transparency=3)
save("moving.gif", photo.quantize(64), save_all=True, append_images=[photo.convert("L").quantize(64)])
save("color.bmp", photo)
save("gray.bmp", photo.convert("L"))
save("palette.bmp", photo.quantize(64))
save("two.bmp", photo.convert("1"))
save("odd.bmp", photo.crop((0, 0, 117, 3)))


def bmp(name, bits, compression, data, masks=b"", colors=b"", height=4):
    """Writes a BMP of 8 columns that Pillow reads but cannot write."""
    header = struct.pack("<IiiHHIIiiII", 40, 8, height, 1, bits, compression, len(data), 0, 0,
                         len(colors) // 4, 0)
    start = 14 + len(header) + len(masks) + len(colors)
    (folder / name).write_bytes(
        b"BM" + struct.pack("<IHHI", start + len(data), 0, 0, start) + header + masks + colors + data)
    expect(name, upright(folder / name))


values = [random.randrange(65536) for _ in range(32)]
bmp("565.bmp", 16, 3, struct.pack("<32H", *values), struct.pack("<3I", 0xF800, 0x7E0, 0x1F))
bmp("555.bmp", 16, 0, struct.pack("<32H", *(value & 0x7FFF for value in values)))
bmp("downward.bmp", 24, 0, bytes(random.randrange(256) for _ in range(96)), height=-4)
bmp("wide.bmp", 32, 0, bytes(random.randrange(256) for _ in range(128)))
colors = bytes(value for index in range(16) for value in (17 * index, 255 - 16 * index, 90, 0))
runs = bytes([8, 3, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 3, 7, 0, 0, 2, 9, 6, 1, 0, 0, 8, 14, 0, 1])
bmp("runs.bmp", 8, 1, runs, colors=colors)
runs = bytes([8, 0x36, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0, 3, 0x77, 0, 0, 2, 0x99, 6, 0x1A, 0, 0,
              8, 0xE1, 0, 1])
bmp("runs-4.bmp", 4, 2, runs, colors=colors)
for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"):
    save(f"{compression}.tiff", photo, compression=compression)
save("jpeg.tiff", photo, compression="jpeg", quality=95)
save("fax.tiff", photo.convert("1"), compression="group4")
save("gray.tiff", photo.convert("L"), compression="tiff_lzw")
save("palette.tiff", photo.quantize(64))
save("inks.tiff", inks, compression="tiff_lzw")
save("transparent.tiff", transparent(photo))
save("gray-transparent.tiff", transparent(photo).convert("LA"))
save("pages.tiff", photo, save_all=True, append_images=[photo.convert("L")])
save("large.tiff", photo, big_tiff=True)
for value in range(1, 9):
    save(f"turned-{value}.tiff", photo, exif=orientation(value))


def tiff(name, samples, data, photometric, tile=None, planar=1):
    """Writes a TIFF of 20 by 18 pixels of 16 bits, in one strip, in planes, or in tiles."""
    width, height = 20, 18
    count = samples if planar == 2 else 1
    each = len(data) // count
    blocks = [data[index * each:(index + 1) * each] for index in range(count)]
    if tile:
        blocks = []
        for top in range(0, height, tile):
            for left in range(0, width, tile):
                block = b""
                for y in range(top, top + tile):
                    line = data[y * width * samples * 2:(y + 1) * width * samples * 2]
                    part = line[left * samples * 2:(left + tile) * samples * 2]
                    block += part.ljust(tile * samples * 2, b"\0")
                blocks.append(block)
    fields = [(256, 4, [width]), (257, 4, [height]), (258, 3, [16] * samples), (259, 3, [1]),
              (262, 3, [photometric]), (277, 3, [samples]), (284, 3, [planar])]
    offsets = [8 + sum(map(len, blocks[:index])) for index in range(len(blocks))]
    lengths = [len(block) for block in blocks]
    if tile:
        fields += [(322, 4, [tile]), (323, 4, [tile]), (324, 4, offsets), (325, 4, lengths)]
    else:
        fields += [(273, 4, offsets), (278, 4, [height]), (279, 4, lengths)]
    if samples == 4:
        fields.append((338, 3, [2]))
    body = b"".join(blocks)
    start = 8 + len(body)
    values, entries = b"", b""
    after = start + 2 + 12 * len(fields) + 4
    for tag, kind, numbers in sorted(fields):
        packed = struct.pack(f"<{len(numbers)}{'H' if kind == 3 else 'I'}", *numbers)
        entries += struct.pack("<HHI", tag, kind, len(numbers))
        if len(packed) <= 4:
            entries += packed.ljust(4, b"\0")
        else:
            entries += struct.pack("<I", after + len(values))
            values += packed
    (folder / name).write_bytes(
        b"II*\0" + struct.pack("<I", start) + body + struct.pack("<H", len(fields)) + entries
        + b"\0\0\0\0" + values)


def words(count):
    return struct.pack(f"<{count}H", *((index * 4099) % 65536 for index in range(count)))


tiff("deep.tiff", 3, words(1080), 2)
expect("deep.tiff", upright(folder / "deep.tiff"))
tiff("deep-transparent.tiff", 4, words(1440), 2)
expect("deep-transparent.tiff", upright(folder / "deep-transparent.tiff"))
# Pillow reads no planes or tiles of 16 bits without libtiff: the same pixels as one strip are expected.
tiff("tiles.tiff", 3, words(1080), 2, tile=16)
expect("tiles.tiff", upright(folder / "deep.tiff"))
planes = b"".join(
    b"".join(words(1080)[2 * (3 * pixel + sample):2 * (3 * pixel + sample) + 2] for pixel in range(360))
    for sample in range(3))
tiff("planes.tiff", 3, planes, 2, planar=2)
expect("planes.tiff", upright(folder / "deep.tiff"))
# Pillow clips gray of 16 bits, as in PNG.
tiff("deep-gray.tiff", 1, words(360), 1)
expect("deep-gray.tiff", Image.frombytes("L", (20, 18), words(360)[1::2]))
save("full-color.avif", photo, quality=100, subsampling="4:4:4")
save("usual.avif", photo, quality=90)
