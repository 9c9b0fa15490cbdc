"""The cairn program that the package contains."""
from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
import sys

_FOLDER = pathlib.Path(__file__).parent


def path() -> str:
    """Returns the path of the program: from the variable `CAIRN`, from the package, or from `PATH`."""
    chosen = os.environ.get("CAIRN")
    if chosen:
        return chosen
    carried = _FOLDER / "bin" / "cairn"
    if carried.is_file():
        return str(carried)
    found = shutil.which("cairn")
    if found is None:
        raise FileNotFoundError("There is no cairn program: install the wheel, or name the program with CAIRN.")
    return found


@functools.cache
def version() -> str:
    """Returns the version of the package."""
    file = _FOLDER / "_version.txt"
    if file.is_file():
        return file.read_text().strip()
    return subprocess.run([path(), "--version"], check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Runs the program with the arguments of this process."""
    os.execv(path(), ["cairn", *sys.argv[1:]])
