"""Imports tables of labels of known photos with cairn, and reads them with pandas.

Usage: tables.py CAIRN LABELS PHOTOS
"""
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CLASSES = 200
SMALL = 100_000
# Runs of the import of a small table and of pandas, which take turns.
RUNS = 3


def ids(photos):
    return [hashlib.sha256(b"photo %d" % number).hexdigest() for number in range(photos)]


def write_photos(path, ids):
    image = {"bytes": 2_000_000, "format": "jpeg", "width": 4000, "height": 3000}
    with open(path, "w") as file:
        for number, one in enumerate(ids):
            line = {"kind": "photo", "id": one, "image": image, "source": f"IMG_{number}.JPG"}
            file.write(json.dumps(line) + "\n")


def write_table(path, ids, labels, is_shuffled):
    """Writes rows of one photo together, as programs export them, or in any order."""
    draw = random.Random(7)
    each = labels // len(ids)
    rows = [
        f"{one}.jpg,class-{number},{draw.randint(500, 999) / 1000}"
        for one in ids
        for number in draw.sample(range(CLASSES), each)
    ]
    if is_shuffled:
        draw.shuffle(rows)
    with open(path, "w") as file:
        file.write("filename,label,confidence\n" + "\n".join(rows) + "\n")


def in_child(function, *arguments):
    """Calls a function in another process: Linux counts the memory of a process at the time when it
    starts another one as memory of that one."""
    child = multiprocessing.Process(target=function, args=arguments)
    child.start()
    child.join()
    if child.exitcode:
        sys.exit(child.exitcode)


def measured(*command):
    """Returns the seconds that a process takes, and the peak of its resident memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(command)}\n{output}")
    return seconds, usage.ru_maxrss / 1024


def report(name, runs):
    """Prints the median time and the highest memory of runs."""
    seconds, memory = zip(*runs)
    print(f"{name:68} {statistics.median(seconds):7.1f} s {max(memory):7.0f} MB", flush=True)


PANDAS = """
import json, pathlib, sys
import pandas
for index, row in enumerate(pandas.read_csv(sys.argv[1]).itertuples()):
    label = {"photo": row.filename, "class": row.label, "confidence": row.confidence}
    (pathlib.Path(sys.argv[2]) / f"{index}.json").write_text(json.dumps(label))
"""


def main():
    cairn, labels, photos = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    top = pathlib.Path(tempfile.mkdtemp())
    os.environ["HOME"] = str(top)
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    (top / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.org\n")
    try:
        known = ids(photos)
        write_photos(top / "photos.jsonl", known)
        in_child(write_table, top / "labels.csv", known, labels, False)
        in_child(write_table, top / "shuffled.csv", known, labels, True)
        in_child(write_table, top / "small.csv", known[: SMALL // 10], SMALL, False)

        def run(*arguments):
            subprocess.run([cairn, *arguments], check=True, stdout=subprocess.DEVNULL)

        def imported(checkout, table):
            """Imports a table into a copy of a dataset."""
            copy = top / "copy"
            shutil.copytree(top / checkout, copy, symlinks=True)
            try:
                return measured(
                    cairn, "-C", str(copy), "import", "csv", str(top / table), "--as", "net@1")
            finally:
                shutil.rmtree(copy)

        def pandas():
            (top / "files").mkdir()
            try:
                return measured(
                    sys.executable, "-c", PANDAS, str(top / "small.csv"), str(top / "files"))
            finally:
                shutil.rmtree(top / "files")

        for checkout in ("none", "all"):
            run("init", str(top / checkout))
            run("-C", str(top / checkout), "checkout", checkout)
            run("-C", str(top / checkout), "import", "documents", str(top / "photos.jsonl"))
            # The index is up to date.
            run("-C", str(top / checkout), "find", "class-1", "--limit", "1")
        pairs = [(imported("none", "small.csv"), pandas()) for _ in range(RUNS)]
        report(f"cairn import, without documents: {SMALL} rows", [own for own, _ in pairs])
        report(
            f"pandas.read_csv and one JSON file for each label: {SMALL} rows",
            [other for _, other in pairs])
        for name, checkout, what, table in (
            ("all documents", "all", f"{SMALL} rows", "small.csv"),
            ("without documents", "none", f"{labels} rows", "labels.csv"),
            ("without documents", "none", f"{labels} rows in any order", "shuffled.csv"),
            ("all documents", "all", f"{labels} rows", "labels.csv"),
        ):
            report(f"cairn import, {name}: {what}", [imported(checkout, table)])
    finally:
        shutil.rmtree(top)


if __name__ == "__main__":
    main()
