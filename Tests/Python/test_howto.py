"""Runs the code of the how-to pages on Python and on the installation."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile
from typing import Any

import pytest

import cairn_data
from conftest import paint

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOG = ROOT / "Sources/Cairn/Documentation.docc"
VERSION = subprocess.run(
    [ROOT / "Sources/Packaging/version"], check=True, capture_output=True, text=True).stdout.strip()


def code(heading: str, page: str = "Python", language: str = "python") -> str:
    """Returns the code of a section, or before the first section."""
    text = (CATALOG / f"HowTo/{page}.md").read_text()
    section = re.search(rf"^##? {heading}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert section, f"no section {heading}"
    blocks = re.findall(rf"```{language}\n(.*?)```", section[1], re.S)
    assert blocks, f"no code in {heading}"
    return "\n".join(blocks)


def test_page(home: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads, labels, trains and predicts as the page does, on photos by a ridge."""
    paint(tmp_path / "photos", 4)
    monkeypatch.chdir(tmp_path)
    with cairn_data.create("walk") as ds:
        ds.add(tmp_path / "photos")
        ds.command("pin", "add", "56.8", "-5", "--name", "Ridge")
        # The photos of the ridge have labels, and predictions to accept; the others have neither.
        for photo in list(ds.photos()):
            color = photo.name.split("-")[0]
            if color != "blue":
                ds.command("photo", "edit", photo.id, "--pin", "Ridge")
                ds.label(photo, "heather" if color == "red" else "Scots pine", create=True)
                ds.command("label", photo.id, "heather", "--as", "net@1")
        ds.command("remote", "add", "origin", "../walk.git", "--create")
        ds.command("split", "add", "standard", "train=50,test=50")
        first = ds.photos("label:heather").first()
        assert first
        prefix = first.id[:8]

    names: dict[str, Any] = {"transform": lambda image: image.size}
    exec(code("Read"), names)
    assert names["photo"].confirmed()

    exec(code("Label").replace("3fa9", prefix), names)
    ds = names["ds"]
    assert sum(1 for _ in ds.photos("label:heather state:confirmed")) == 8
    assert any(photo.id.startswith(prefix) for photo in ds.photos('label:"Scots pine"'))
    assert (tmp_path / "walk.git" / "HEAD").exists()

    trained = names | {"no_torch": True}
    exec(code("Train").replace("data = ", "data = None if no_torch else "), trained)
    assert len(trained["ids"]) == len(trained["rows"]) > 0
    assert [figures["model"] for figures in trained["figures"]] == ["net@1"]

    exec(code("Record predictions"), names)
    # The page withdraws the run at its end.
    runs = ds.command("run", "list")
    assert [run["annotator"] for run in runs] == ["model:heather-net@3"]
    assert runs[0]["withdrawn"]
    ds.close()


def shell(code: str, folder: pathlib.Path, **environment: str) -> str:
    """Runs code as a new user does, line by line, and returns what it prints."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        ["bash", "-e", "-c", code], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
        env={
            "HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PIP_NO_INDEX": "1", **environment},
    ).stdout


def version() -> str:
    return subprocess.run([os.environ["CAIRN"], "--version"], check=True, capture_output=True, text=True).stdout.strip()


def test_the_documentation_names_the_version() -> None:
    """Compares the packages that the pages name, and the sections of the changelog, with the version."""
    for page in ("Installing", "Python"):
        named = re.findall(r"\bcairn(?:_data)?[-_](\d[\w.]*?)[-_]", (CATALOG / f"HowTo/{page}.md").read_text())
        assert named and set(named) == {VERSION}, page
    sections = [title.split()[0] for title in re.findall(r"^## (.+)$", (CATALOG / "Changelog.md").read_text(), re.M)]
    released = [tuple(map(int, title.split("."))) for title in sections if title != "Unreleased"]
    assert released == sorted(set(released), reverse=True)
    # The newest section is of this version, or of the changes since.
    assert sections[0] in ("Unreleased", VERSION) and "Unreleased" not in sections[1:]
    assert not released or released[0] <= tuple(map(int, VERSION.split(".")))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_installing_and_updating_the_tarball(tmp_path: pathlib.Path) -> None:
    lines = code("Any distribution", "Installing", "sh")
    for number in (VERSION, "99.0.0"):
        program = tmp_path / f"cairn-{number}-linux-x86_64/bin/cairn"
        program.parent.mkdir(parents=True)
        program.symlink_to(os.environ["CAIRN"])
        archive = f"cairn-{number}-linux-x86_64.tar.zst"
        subprocess.run(["tar", "--zstd", "-cf", archive, program.parent.parent.name], cwd=tmp_path, check=True)
        shell(lines.replace(VERSION, number), tmp_path)
        installed = tmp_path / "home/.local/bin/cairn"
        assert number in os.readlink(installed)
    assert shell("~/.local/bin/cairn --version", tmp_path).strip() == version()
    # The completion scripts need folders that a new user does not have.
    shell(code("Completion", "Installing", "sh"), tmp_path, PATH=f"{installed.parent}:{os.environ['PATH']}")
    assert (tmp_path / "home/.zfunc/_cairn").read_text().startswith("#compdef cairn")
    assert (tmp_path / "home/.config/fish/completions/cairn.fish").stat().st_size > 0


def test_checking_what_was_copied(tmp_path: pathlib.Path) -> None:
    sums = ROOT / "Sources/Packaging/sums"
    environment = {**os.environ, "GNUPGHOME": str(tmp_path / "keys"), "SIGNING_KEY": ""}
    names = [f"cairn_{VERSION}_amd64.deb", f"cairn-{VERSION}-linux-x86_64.tar.zst", "cairn_0.0.0_amd64.deb"]
    assert subprocess.run([sums, tmp_path], capture_output=True).returncode == 1
    for name in names:
        (tmp_path / name).write_text(name)
    subprocess.run([sums, tmp_path], check=True, env=environment)
    lines = (tmp_path / "SHA256SUMS").read_text().splitlines()
    assert [line.split()[1] for line in lines] == names[:2] and not (tmp_path / "SHA256SUMS.asc").exists()
    # A package that was not copied is not checked; one that was damaged is noticed.
    (tmp_path / names[0]).unlink()
    check = code("Check what you copied", "Installing", "sh")
    assert shell(check, tmp_path) == f"{names[1]}: OK\n"
    (tmp_path / names[1]).write_text("damaged")
    with pytest.raises(subprocess.CalledProcessError):
        shell(check, tmp_path)


@pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")
def test_signing_the_digests(tmp_path: pathlib.Path) -> None:
    # The path of the agent's socket is limited.
    with tempfile.TemporaryDirectory() as keys:
        environment = {**os.environ, "GNUPGHOME": keys, "SIGNING_KEY": "releases@example.org"}

        def run(*command: str | pathlib.Path) -> None:
            subprocess.run(command, check=True, env=environment, cwd=tmp_path, capture_output=True)

        run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "releases@example.org")
        try:
            (tmp_path / f"cairn_data-{VERSION}-py3-none-any.whl").write_text("wheel")
            run(ROOT / "Sources/Packaging/sums", tmp_path)
            run("gpg", "--verify", "SHA256SUMS.asc")
            (tmp_path / "SHA256SUMS").write_text("forged\n")
            with pytest.raises(subprocess.CalledProcessError):
                run("gpg", "--verify", "SHA256SUMS.asc")
        finally:
            subprocess.run(["gpgconf", "--kill", "all"], env=environment)


def test_installing_the_wheel(tmp_path: pathlib.Path) -> None:
    """Uses a wheel of these sources whose extras need nothing."""
    lines = code("Python", "Installing", "sh")
    name = re.search(rf"cairn_data-{re.escape(VERSION)}\S+\.whl", lines)
    assert name
    files = {f"cairn_data/{file.name}": file.read_text() for file in (ROOT / "Sources/Python/cairn_data").glob("*.py")}
    files |= {
        "cairn_data/_version.txt": VERSION, f"cairn_data-{VERSION}.dist-info/WHEEL":
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n",
        f"cairn_data-{VERSION}.dist-info/METADATA":
            f"Metadata-Version: 2.1\nName: cairn-data\nVersion: {VERSION}\n"
            "Provides-Extra: pandas\nProvides-Extra: images\n",
        f"cairn_data-{VERSION}.dist-info/entry_points.txt": "[console_scripts]\ncairn = cairn_data._program:main\n",
        f"cairn_data-{VERSION}.dist-info/RECORD": ""}
    with zipfile.ZipFile(tmp_path / name[0], "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    shell(lines, tmp_path)
    program = os.environ["CAIRN"]
    assert shell("~/.venvs/cairn/bin/cairn --version", tmp_path, CAIRN=program).strip() == version()
    shell("rm -r ~/.venvs", tmp_path)
    shell(code("Use cairn from Python", language="sh"), tmp_path)
    number = shell("~/.venvs/cairn/bin/python -c 'import cairn_data; print(cairn_data.version())'", tmp_path)
    assert number == f"{VERSION}\n"
    # Without the program, as from the sources, the script does not take itself for it.
    script = tmp_path / "home/.venvs/cairn/bin/cairn"
    result = subprocess.run([script], env={"PATH": str(script.parent)}, capture_output=True, text=True)
    assert result.returncode == 1 and result.stderr.startswith("cairn: There is no cairn program")
    # Neither is a shim, such as one of pyenv, which starts the script again.
    shim = tmp_path / "shims/cairn"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{script}" "$@"\n')
    shim.chmod(0o755)
    path = f"{shim.parent}:{script.parent}"
    result = subprocess.run([shim], env={"PATH": path}, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1 and result.stderr.startswith("cairn: There is no cairn program")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/cairn").symlink_to(program)
    result = subprocess.run(
        [shim, "--version"], env={"PATH": f"{path}:{tmp_path / 'bin'}"}, capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == version()
