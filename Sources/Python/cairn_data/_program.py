"""The cairn program that the package contains."""
from __future__ import annotations

import os
import pathlib
import shutil
import sys

_FOLDER = pathlib.Path(__file__).parent

# A process and the programs that `main` started in it, in the environment.
_STARTED = "CAIRN_STARTED"


def path() -> str:
    """Returns the path of the program: from the variable `CAIRN`, from the package, or from `PATH`."""
    chosen = os.environ.get("CAIRN")
    if chosen:
        return chosen
    carried = _FOLDER / "bin" / "cairn"
    if carried.is_file():
        return str(carried)
    for folder in os.get_exec_path():
        found = shutil.which("cairn", path=folder)
        if found and found not in _started() and not _is_script(found):
            return found
    raise FileNotFoundError("There is no cairn program: install the wheel, or name the program with CAIRN.")


def _is_script(program: str) -> bool:
    """Returns whether a program is the script that pip makes from `main`."""
    with open(program, "rb") as file:
        return b"cairn_data" in file.read(1024)


def _started() -> list[str]:
    """Returns the programs that `main` started in this process: shims, such as those of pyenv, which start it again."""
    process, *programs = os.environ.get(_STARTED, "").split(os.pathsep)
    return programs if process == str(os.getpid()) else []


def version() -> str:
    """Returns the version of the package, or `0+source` if it was not installed from a wheel."""
    file = _FOLDER / "_version.txt"
    return file.read_text().strip() if file.is_file() else "0+source"


def main() -> None:
    """Runs the program with the arguments of this process."""
    try:
        program = path()
        os.environ[_STARTED] = os.pathsep.join([str(os.getpid()), *_started(), program])
        os.execv(program, ["cairn", *sys.argv[1:]])
    except FileNotFoundError as problem:
        sys.exit(f"cairn: {problem}")
