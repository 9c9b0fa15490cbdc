"""Creates photos with exiftool, and compares the metadata that cairn reads with exiftool's.

  metadata.py corpus FOLDER           writes photos with tags in many forms
  metadata.py compare FOLDER FACTS    compares what cairn reads from each image below FOLDER (FACTS,
                                      JSON by file name) with exiftool, and prints differences"""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

JPEG, PNG, WEBP, HEIC = ".jpg", ".png", ".webp", ".heic"

# exiftool arguments for files with these prefixes, because the files do not name their encoding.
ARGUMENTS = {
    # exiftool uses Windows-1250; these keywords have the same bytes in ISO 8859-2.
    "latin2-": ["-charset", "iptc=Latin2"],
    "exif-latin-": ["-charset", "exif=Latin"],
    "iptc-utf8-undeclared": ["-charset", "iptc=UTF8"],
}


# MARK: Corpus


def corpus(folder):
    from PIL import Image

    bases = {}
    for kind in (JPEG, PNG, WEBP):
        bases[kind] = folder / f"base{kind}"
        Image.linear_gradient("L").resize((60, 40)).convert("RGB").save(bases[kind])
    bases[HEIC] = folder / f"base{HEIC}"
    subprocess.run(
        ["heif-enc", bases[JPEG], "-o", bases[HEIC]], check=True, stdout=subprocess.DEVNULL)

    commands, wrapped = [], []

    def make(name, *arguments, kinds=(JPEG,)):
        for kind in kinds:
            target = folder / f"{name}{kind}"
            source = bases[kind]
            if kind == WEBP:  # exiftool cannot write WebP
                wrapped.append(target)
                target, source = target.with_suffix(".webp.jpg"), bases[JPEG]
            commands.extend([*arguments, "-o", str(target), str(source), "-execute"])

    def write():
        script = folder / "arguments"
        script.write_text("\n".join(commands[:-1]))
        common = ["-common_args", "-q", "-q", "-m", "-n"]
        subprocess.run(["exiftool", "-@", str(script), *common], check=True)
        script.unlink()
        for target in wrapped:
            jpeg = target.with_suffix(".webp.jpg")
            with Image.open(jpeg) as image:
                info = {key: image.info[key] for key in ("exif", "xmp") if key in image.info}
            with Image.open(bases[WEBP]) as image:
                image.save(target, **info)
            jpeg.unlink()

    every = (JPEG, PNG, WEBP, HEIC)
    ll = lambda lat, lon, a="N", b="E": [
        f"-GPSLatitude={lat}", f"-GPSLatitudeRef={a}", f"-GPSLongitude={lon}", f"-GPSLongitudeRef={b}"]
    # Locations.
    make("place-north-east", *ll(47.3769, 8.5417), kinds=every)
    make("place-south-west", *ll(33.45694, 70.64827, "S", "W"), "-GPSAltitude=570.25", "-GPSAltitudeRef=0")
    make("place-below-sea", *ll(31.5, 35.5), "-GPSAltitude=430.5", "-GPSAltitudeRef=1")
    make("place-pole", *ll(90, 180, "S", "W"))
    make("place-equator", *ll(0, 12.345678901))
    make("place-exact", *ll(12.345678912345, 98.765432198765))
    make("place-xmp", "-XMP-exif:GPSLatitude=39.115", "-XMP-exif:GPSLongitude=-108.400968",
         "-XMP-exif:GPSAltitude=12.5", "-XMP-exif:GPSAltitudeRef=1", kinds=every)
    make("refused-zero", *ll(0, 0))
    make("refused-no-reference", "-GPSLatitude=10", "-GPSLongitude=20", "-GPSLongitudeRef=E")
    make("refused-off-globe", *ll(91, 20))
    make("refused-nothing-over-nothing", "-ExifByteOrder=MM", *ll(39.115, 8.5))
    # Times.
    original = "-ExifIFD:DateTimeOriginal=2024:05:01 12:30:00"
    make("time-plain", original, kinds=every)
    make("time-fraction", original, "-SubSecTimeOriginal=025")
    make("time-zone", original, "-OffsetTimeOriginal=+05:30", "-SubSecTimeOriginal=9")
    make("time-zone-blank", original, "-OffsetTimeOriginal=   :  ")
    make("time-gps", original, "-GPSDateStamp=2024:05:01", "-GPSTimeStamp=10:30:20")
    make("time-gps-midnight", "-ExifIFD:DateTimeOriginal=2024:03:01 02:00:00",
         "-GPSDateStamp=2024:02:29", "-GPSTimeStamp=20:15:00.5")
    make("time-gps-other-moment", original, "-GPSDateStamp=2024:05:01", "-GPSTimeStamp=10:22:30")
    make("time-unknown", "-ExifIFD:DateTimeOriginal=0000:00:00 00:00:00")
    make("time-blank", "-ExifIFD:DateTimeOriginal=    :  :     :  :  ")
    make("time-digitized", "-ExifIFD:CreateDate=2001:02:03 04:05:06", "-SubSecTimeDigitized=5")
    make("time-changed-only", "-ModifyDate=2001:02:03 04:05:06")
    make("time-xmp", "-XMP-exif:DateTimeOriginal=2019:07:08 09:10:11.5-03:00", kinds=every)
    make("time-photoshop", "-XMP-photoshop:DateCreated=2019:07:08 09:10:11Z")
    make("time-minutes", "-XMP-xmp:CreateDate=2019:07:08 09:10+01:00")
    make("time-iptc", "-IPTC:DateCreated=2018:01:02", "-IPTC:TimeCreated=03:04:05-06:00")
    make("time-all", original, "-IPTC:DateCreated=2018:01:02", "-IPTC:TimeCreated=03:04:05-06:00",
         "-XMP-photoshop:DateCreated=2019:07:08 09:10:11Z")
    # Orientation.
    for value in range(0, 10):
        make(f"orientation-{value}", f"-IFD0:Orientation={value}", kinds=(JPEG, PNG, WEBP))
    # Keywords.
    make("keywords-xmp", "-XMP-dc:Subject=oak", "-XMP-dc:Subject=Ein Häher", "-XMP-dc:Subject=鳥",
         kinds=every)
    make("keywords-both", "-XMP-dc:Subject=Oak", "-IPTC:Keywords=oak", "-IPTC:Keywords=elm")
    make("keywords-cut", f"-XMP-dc:Subject={'long ' * 20}end", f"-IPTC:Keywords={('long ' * 20)[:64]}")
    make("keywords-levels", "-XMP-lr:HierarchicalSubject=animal|bird|falcon",
         "-XMP-digiKam:TagsList=People/Marie Curie", "-XMP-microsoft:LastKeywordXMP=a/b/c",
         "-XMP-mediapro:CatalogSets=x|y")
    make("keywords-windows", "-XPKeywords=Fuß;Ωmega;  ;twice;TWICE")
    make("iptc-utf8", "-CodedCharacterSet=\x1b%G", "-charset", "iptc=UTF8", "-IPTC:Keywords=Żółw",
         "-IPTC:ObjectName=Γάτα")
    make("iptc-latin", "-IPTC:Keywords=Häher", "-IPTC:Caption-Abstract=naïve “quotes” – €5")
    make("iptc-utf8-undeclared", "-charset", "iptc=UTF8", "-IPTC:Keywords=Żółw")
    make("latin2-words", "-CodedCharacterSet=\x1b-B", "-charset", "iptc=Latin2",
         "-IPTC:Keywords=Čáp", "-IPTC:ObjectName=Łódka")
    # Titles and descriptions.
    make("title-xmp", "-XMP-dc:Title=Plain", "-XMP-dc:Title-de=Deutsch", kinds=every)
    make("title-iptc", "-IPTC:ObjectName=Named")
    make("title-windows", "-XPTitle=Größe 🦅")
    make("text-exif", "-IFD0:ImageDescription=Straße", "-XMP-dc:Description=other")
    make("exif-latin-text", "-charset", "exif=Latin", "-IFD0:ImageDescription=Straße nach Köln")
    make("text-iptc", "-IPTC:Caption-Abstract=from IPTC", "-XMP-dc:Description=from XMP")
    make("text-xmp", "-XMP-dc:Description=from XMP", kinds=every)
    make("text-windows", "-XPComment=Ünïcode")
    make("text-comment-ascii", "-UserComment=plain words")
    for order in ("MM", "II"):
        make(f"text-comment-{order}", f"-ExifByteOrder={order}", "-UserComment=Überall Ωmega 鳥")
    make("camera", "-Make=Canon", "-Model=Canon EOS R5")
    make("camera-maker", "-Make=samsung", "-Model=SM-G900V")
    # Regions.
    region = ("{AppliedToDimensions={W=%d,H=%d,Unit=pixel},RegionList=["
              "{Name=Marie,Type=Face,Area={X=0.3,Y=0.4,W=0.2,H=0.1,Unit=normalized}},"
              "{Name=Dog,Type=Pet,Area={X=0.95,Y=0.5,W=0.2,H=0.2,Unit=normalized}},"
              "{Type=Focus,Area={X=0.5,Y=0.5,W=0.2,H=0.2,Unit=normalized}}]}")
    for value in range(1, 9):
        make(f"region-{value}", f"-IFD0:Orientation={value}", "-RegionInfo=" + region % (60, 40))
    make("region-upright-6", "-IFD0:Orientation=6", "-RegionInfo=" + region % (40, 60))
    apple = ("{AppliedToDimensions={W=60,H=40,Unit=pixel},RegionList=["
             "{Type=Face,Area={X=0.3,Y=0.4,W=0.2,H=0.1,Unit=normalized}},"
             "{Type=Face,Area={X=0.7,Y=0.5,W=0.1,H=0.2,Unit=normalized}}]}")
    make("region-unnamed", "-RegionInfo=" + apple)
    make("region-people", "-RegionInfoMP={Regions=[{PersonDisplayName=Ann,"
         "Rectangle=0.1\\, 0.2\\, 0.3\\, 0.4}]}".replace("\\,", "|,"))
    write()
    target = folder / "refused-nothing-over-nothing.jpg"
    old, new = bytes.fromhex("00000027 00000001"), bytes.fromhex("00000027 00000000")
    assert target.read_bytes().count(old) == 1
    target.write_bytes(target.read_bytes().replace(old, new))
    for base in bases.values():
        base.unlink()


# MARK: What exiftool reads


def read(files):
    """Returns the tags of files by path, with all values as text."""
    tags = {}
    for file in files:
        extra = next((a for prefix, a in ARGUMENTS.items() if file.name.startswith(prefix)), [])
        tags.setdefault(tuple(extra), []).append(file)
    found = {}
    for extra, group in tags.items():
        run = ["exiftool", "-json", "-n", "-G1", "-struct", "-a", *extra, *map(str, group)]
        output = subprocess.run(run, check=True, capture_output=True).stdout
        for entry in json.loads(output, parse_int=str, parse_float=str):
            found[entry["SourceFile"]] = entry
    return found


def texts(value):
    return [] if value is None else [str(v) for v in value] if isinstance(value, list) else [str(value)]


def place(tags):
    group = "Composite" if "Composite:GPSLatitude" in tags else "XMP-exif"
    latitude, longitude = tags.get(f"{group}:GPSLatitude"), tags.get(f"{group}:GPSLongitude")
    try:
        latitude, longitude = float(latitude), float(longitude)
    except (TypeError, ValueError):
        return None
    if (latitude, longitude) == (0, 0) or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    if group == "Composite":
        altitude = tags.get("Composite:GPSAltitude")
    else:
        altitude = tags.get("XMP-exif:GPSAltitude")
        if altitude and tags.get("XMP-exif:GPSAltitudeRef") == "1":
            altitude = "-" + altitude
    return latitude, longitude, None if altitude is None else float(altitude)


def iso(text):
    match = re.match(r"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d)(:\d\d)?(.*)$", text or "")
    if not match or match[1] == "0000":
        return None
    return f"{match[1]}-{match[2]}-{match[3]}T{match[4]}{match[5] or ':00'}{match[6]}"


def exif_time(tags, key, part):
    local = iso(tags.get(f"ExifIFD:{key}"))
    if local is None:
        return None
    fraction = tags.get(f"ExifIFD:SubSecTime{part}", "").strip()
    exact = local + (f".{fraction}" if fraction else "")
    offset = tags.get(f"ExifIFD:OffsetTime{part}", "").strip(" :")
    if offset:
        return exact + offset
    clock, date = tags.get("GPS:GPSTimeStamp"), tags.get("GPS:GPSDateStamp")
    if clock and date:
        utc = datetime.datetime.strptime(f"{date} {clock.split('.')[0]}", "%Y:%m:%d %H:%M:%S")
        ahead = (datetime.datetime.fromisoformat(local) - utc).total_seconds()
        quarters = round(ahead / 900)
        if abs(ahead - quarters * 900) <= 150 and abs(quarters) <= 56:
            minutes = abs(quarters) * 15
            sign = "-" if quarters < 0 else "+"
            return f"{exact}{sign}{minutes // 60:02}:{minutes % 60:02}"
    return exact


def taken(tags):
    date, clock = tags.get("IPTC:DateCreated"), tags.get("IPTC:TimeCreated")
    return (
        exif_time(tags, "DateTimeOriginal", "Original")
        or iso(tags.get("XMP-exif:DateTimeOriginal"))
        or iso(f"{date} {clock}")
        or iso(tags.get("XMP-photoshop:DateCreated"))
        or exif_time(tags, "CreateDate", "Digitized")
        or iso(tags.get("XMP-xmp:CreateDate")))


def keywords(tags):
    subject = texts(tags.get("XMP-dc:Subject"))
    cut = [k for k in texts(tags.get("IPTC:Keywords"))
           if len(k.encode()) < 60 or not any(s != k and s.startswith(k.strip()) for s in subject)]
    found = subject + cut + texts(tags.get("IFD0:XPKeywords", "").split(";"))
    for key, separator in [
        ("XMP-lr:HierarchicalSubject", "|"), ("XMP-digiKam:TagsList", "/"),
        ("XMP-microsoft:LastKeywordXMP", "/"), ("XMP-mediapro:CatalogSets", "|"),
    ]:
        found += [text.split(separator)[-1] for text in texts(tags.get(key))]
    return {word.strip().casefold() for word in found if word.strip()}


CAMERAS = ("SAMSUNG", "OLYMPUS DIGITAL CAMERA")


def first(tags, *keys):
    for key in keys:
        for text in texts(tags.get(key)):
            if text.strip(" \0\n\t") and text.strip().upper() not in CAMERAS:
                return text.strip(" \0\n\t")
    return None


def region_boxes(tags):
    """Returns the corners of the named regions on the upright image."""
    info = tags.get("XMP-mwg-rs:RegionInfo")
    if not info:
        people = tags.get("XMP-MP:RegionInfoMP", {}).get("Regions", [])
        boxes = []
        for person in people:
            x, y, w, h = map(float, re.split(r"[|, ]+", person["Rectangle"]))
            boxes.append((person["PersonDisplayName"], x, y, x + w, y + h))
        return boxes
    value = int(tags.get("IFD0:Orientation", 1))
    applied = info.get("AppliedToDimensions", {})
    width, height = (float(tags.get(f"File:Image{side}", 0)) for side in ("Width", "Height"))
    if value >= 5 and applied and (float(applied["W"]) > float(applied["H"])) == (height > width):
        value = 1
    # Maps a stored point to the upright image.
    turn = {
        2: lambda x, y: (1 - x, y), 3: lambda x, y: (1 - x, 1 - y), 4: lambda x, y: (x, 1 - y),
        5: lambda x, y: (y, x), 6: lambda x, y: (1 - y, x), 7: lambda x, y: (1 - y, 1 - x),
        8: lambda x, y: (y, 1 - x)}.get(value, lambda x, y: (x, y))
    boxes = []
    for region in info["RegionList"]:
        if region.get("Type") == "Focus":
            continue
        x, y, w, h = (float(region["Area"][key]) for key in "XYWH")
        clip = lambda number: min(1, max(0, number))
        a = turn(clip(x - w / 2), clip(y - h / 2))
        b = turn(clip(x + w / 2), clip(y + h / 2))
        boxes.append((region.get("Name", region.get("Type", "").lower()),
                      min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
    return boxes


# MARK: Comparison


def near(a, b, slack):
    if a is None or b is None:
        return a is b
    return len(a) == len(b) and all(
        x == y if isinstance(x, (str, type(None))) or isinstance(y, (str, type(None)))
        else abs(x - y) <= slack for x, y in zip(a, b))


def compare(folder, facts):
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (JPEG, ".jpeg", PNG, WEBP, HEIC))
    differences = 0

    def check(file, what, own, expected, same):
        nonlocal differences
        if not same:
            differences += 1
            print(f"{file.relative_to(folder)}: {what}: {own!r}, exiftool {expected!r}")

    for name, tags in read(files).items():
        file = Path(name)
        own = facts[str(file.relative_to(folder))]
        expected = None if file.name.startswith("refused-") else place(tags)
        found = own.get("place")
        check(file, "place", found, expected, near(found, expected, 2e-8))
        check(file, "time", own.get("taken"), taken(tags), own.get("taken") == taken(tags))
        value = int(tags.get("IFD0:Orientation", 0))
        value = value if 1 <= value <= 8 else None
        check(file, "orientation", own.get("orientation"), value, own.get("orientation") == value)
        own_keywords = {word.casefold() for word in own["keywords"]}
        check(file, "keywords", own_keywords, keywords(tags), own_keywords == keywords(tags))
        title = first(tags, "XMP-dc:Title", "IPTC:ObjectName", "IFD0:XPTitle")
        check(file, "title", own.get("title"), title, own.get("title") == title)
        text = first(tags, "IFD0:ImageDescription", "IPTC:Caption-Abstract", "XMP-dc:Description",
                     "IFD0:XPComment", "ExifIFD:UserComment")
        check(file, "description", own.get("description"), text, own.get("description") == text)
        boxes = region_boxes(tags)
        same = len(boxes) == len(own["regions"]) and all(
            near(a, b, 2e-6) for a, b in zip(sorted(map(tuple, own["regions"])), sorted(boxes)))
        check(file, "regions", own["regions"], boxes, same)
    print(f"{len(files)} files, {differences} differences")
    return differences == 0 and len(files) > 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    target = Path(sys.argv[2]).resolve()
    if sys.argv[1] == "corpus":
        corpus(target)
    elif not compare(target, json.loads(Path(sys.argv[3]).read_text())):
        sys.exit(1)
