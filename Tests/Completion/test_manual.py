"""The manual pages, which are made from the help. CAIRN names the program."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any, Iterator

import pytest

CAIRN = os.environ["CAIRN"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

Command = dict[str, Any]


def commands(command: Command, path: list[str]) -> Iterator[tuple[str, Command]]:
    """Yields the commands that the help lists, with the names of their pages."""
    yield "-".join(path), command
    for sub in command.get("subcommands", ()):
        if sub["commandName"] != "help" and sub.get("shouldDisplay", True):
            yield from commands(sub, [*path, sub["commandName"]])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("manual")
    subprocess.run([ROOT / "Sources/Packaging/manual", CAIRN, folder], check=True)
    return folder


def test_each_command_has_a_page_with_its_options(pages: pathlib.Path) -> None:
    dump = subprocess.run([CAIRN, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    found = dict(commands(json.loads(dump)["command"], ["cairn"]))
    assert sorted(path.stem for path in pages.glob("*.1")) == sorted(found)
    for name, command in found.items():
        text = (pages / f"{name}.1").read_text().replace("\\-", "-")
        options = [
            "--" + spelling["name"] for argument in command.get("arguments", ()) if argument.get("shouldDisplay", True)
            for spelling in argument.get("names") or () if spelling["kind"] == "long"]
        missing = [option for option in options if f"\\fB{option}\\fR" not in text]
        assert not missing, f"{name}: {missing}"
        # Each page that it refers to is there.
        assert set(re.findall(r"\\fB(cairn-[\w-]+)\\fR\(1\)", text)) <= found.keys()


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_pages_are_formatted_without_warnings(pages: pathlib.Path) -> None:
    for name in ("cairn", "cairn-label", "cairn-batch", "cairn-photo-add"):
        result = subprocess.run(
            ["groff", "-Kutf8", "-man", "-Tutf8", "-ww", pages / f"{name}.1"], check=True, capture_output=True, text=True)
        assert not result.stderr
        assert "SYNOPSIS" in re.sub(r".\x08|\x1b\[[0-9]*m", "", result.stdout)
