"""Writes images of every kind into a directory, each with the upright pixels that Pillow reads:
NAME.rgb holds red, green and blue, one byte each; NAME.size holds width and height."""

import random
import sys
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


def save(name, image, expected=None, **options):
    path = folder / name
    image.save(path, **options)
    with Image.open(path) as written:
        upright = ImageOps.exif_transpose(written)
        if expected == "white":
            white = Image.new("RGBA", upright.size, "white")
            upright = Image.alpha_composite(white, upright.convert("RGBA"))
        rgb = upright.convert("RGB")
    path.with_name(name + ".rgb").write_bytes(rgb.tobytes())
    path.with_name(name + ".size").write_text(f"{rgb.width} {rgb.height}")


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
save("transparent.png", transparent(photo), expected="white")
save("gray-transparent.png", transparent(photo).convert("LA"), expected="white")
save("lossless.webp", photo, lossless=True)
save("lossy.webp", photo, quality=80)
save("transparent.webp", transparent(photo), expected="white", lossless=True)
save("moving.webp", photo, save_all=True, append_images=[photo.convert("L")], lossless=True)
for value in range(0, 10):
    save(f"turned-{value}.jpg", photo, quality=95, exif=orientation(value))
    save(f"turned-{value}.png", photo, exif=orientation(value))
    save(f"turned-{value}.webp", photo, lossless=True, exif=orientation(value))
