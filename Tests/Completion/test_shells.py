"""Completion in the real shells, on a pseudo-terminal. CAIRN names the program."""
from __future__ import annotations

import os
import pathlib
import re
import resource
import shlex
import shutil
import statistics
import subprocess
from typing import Iterator

import pexpect
import pytest
from PIL import Image

CAIRN = os.environ["CAIRN"]
# The program whose time is measured: that of `make release`, if CAIRN is a debug build.
OPTIMIZED = pathlib.Path(CAIRN.replace("/debug/", "/release/"))
SHELLS = [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell)]
ESCAPES = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[(=>?][0-9;:?<>=]*[a-zA-Z]?|\x1b[=>]|[\x00-\x08\x0e-\x1f]")


# A name that runs a command wherever a shell expands it.
SPECIAL = " `touch ran`$(touch ran)'\";touch ran;`\u0301;touch ran;`\u0301'\u0301;touch ran;'\u0301\"\u0301;touch ran;\"\u0301! \\"


def home(factory: pytest.TempPathFactory, name: str, program: str | pathlib.Path) -> pathlib.Path:
    """Returns a new home directory with the program in `bin` and git's settings of Alice."""
    root = factory.mktemp(name)
    (root / "bin").mkdir()
    (root / "bin" / "cairn").symlink_to(program)
    (root / ".gitconfig").write_text("[user]\n\tname = Alice\n\temail = alice@example.org\n")
    return root


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A dataset with a file, a folder, classes, a pin, a remote, a model and a person."""
    root = home(tmp_path_factory, "completion", CAIRN)
    walk, env = root / "walk", environment(root)

    def cairn(*arguments: str) -> None:
        subprocess.run([CAIRN, "-C", str(walk), *arguments, "--quiet"], env=env, check=True, capture_output=True)

    subprocess.run([CAIRN, "init", str(walk)], env=env, check=True, capture_output=True)
    Image.new("RGB", (8, 8)).save(walk / "holiday photo.png")
    (walk / "summit").mkdir()
    cairn("photo", "add", "holiday photo.png")
    cairn("label", "holiday photo.png", "heather", "Scots pine", "moss" + SPECIAL, "--create")
    cairn("label", "holiday photo.png", "heather", "--as", "treenet@1", "--confidence", "0.9")
    subprocess.run([CAIRN, "-C", str(walk), "pin", "add", "56.8", "-5", "--name", "Ridge"], env=env, check=True,
                   capture_output=True)
    for name in ("Ravine" + SPECIAL, "Summit $HOME"):
        cairn("pin", "add", "56.8", "-5", "--name", name)
    cairn("remote", "add", "backup", str(root / "backup.git"), "--create")
    return walk


def environment(root: pathlib.Path) -> dict[str, str]:
    return {
        "PATH": f"{root / 'bin'}:/usr/bin:/bin", "HOME": str(root), "TERM": "xterm", "LC_ALL": "C.UTF-8",
        "ZDOTDIR": str(root), "XDG_CONFIG_HOME": str(root / ".config"), "XDG_DATA_HOME": str(root / ".local")}


class Shell:
    """A shell that waits for a line; `type` returns the line after the keys were handled."""

    def __init__(self, name: str, walk: pathlib.Path) -> None:
        root = walk.parent
        script = subprocess.run([CAIRN, "completion", name], check=True, capture_output=True, text=True).stdout
        file = root / f"completion.{name}"
        file.write_text(script)
        self.name = name
        options = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
        self.child = pexpect.spawn(
            name, options, cwd=str(walk), env=environment(root), encoding="utf-8", dimensions=(50, 200), timeout=30)
        start = {
            "bash": f"bind 'set enable-bracketed-paste off'; PS1='' ; source {file}",
            "zsh": f"unsetopt prompt_sp zle_bracketed_paste; PS1=''; autoload -Uz compinit; compinit -u; source {file}",
            "fish": f"function fish_prompt; end; set -g fish_autosuggestion_enabled 0; source {file}"}[name]
        self.child.sendline(start + f"; echo rea''dy-{name}")
        self.child.expect(f"ready-{name}")
        # Prints the arguments that the completed line has, instead of running it.
        self.child.sendline({
            "bash": "show() { printf '<%s>' \"$@\"; echo ' end''ed'; }; "
                    "complete -F _cairn cairn; cairn() { show \"$@\"; }",
            "zsh": "cairn() { printf '<%s>' \"$@\"; echo ' end''ed' }",
            "fish": "function cairn; printf '<%s>' $argv; echo ' end''ed'; end"}[name] + "; echo set''up-done")
        self.child.expect("setup-done")

    def complete(self, line: str) -> list[str]:
        """Types a line and a tab, then runs it; returns the arguments that it has."""
        self.child.send(line + "\t")
        # This key is handled when the completion is done.
        self.child.send("\r")
        self.child.expect("ended")
        # The last line; before it is what was typed, in which zsh shows an accent as <0301>.
        shown = ESCAPES.sub("", (self.child.before or "").rpartition("\n")[2]).replace("\r", "")
        return re.findall(r"<([^<>]*)>", shown)

    def close(self) -> None:
        self.child.close(force=True)


@pytest.fixture(params=SHELLS, scope="module")
def shell(request: pytest.FixtureRequest, walk: pathlib.Path) -> Iterator[Shell]:
    shell = Shell(request.param, walk)
    yield shell
    shell.close()


@pytest.mark.parametrize("line, arguments", [
    ("cairn catego", ["categories"]),
    ("cairn photo ad", ["photo", "add"]),
    ("cairn -C sum", ["-C", "summit/"]),
    ("cairn photo add holi", ["photo", "add", "holiday photo.png"]),
    ("cairn import csv holi", ["import", "csv", "holiday photo.png"]),
    ("cairn export csv sum", ["export", "csv", "summit/"]),
    ("cairn label holi", ["label", "holiday photo.png"]),
    ("cairn label x heat", ["label", "x", "heather"]),
    ("cairn label x Sco", ["label", "x", "Scots pine"]),
    ("cairn label x --class hea", ["label", "x", "--class", "heather"]),
    ("cairn label x heather --as tre", ["label", "x", "heather", "--as", "treenet@1"]),
    ("cairn pin show Ri", ["pin", "show", "Ridge"]),
    ("cairn photo edit x --pin=Ri", ["photo", "edit", "x", "--pin=Ridge"]),
    ("cairn push ba", ["push", "backup"]),
    ("cairn remote rename ba", ["remote", "rename", "backup"]),
    ("cairn config get user.em", ["config", "get", "user.email"]),
    ("cairn config set remote.backup.lfs", ["config", "set", "remote.backup.lfsurl"]),
    ("cairn labeler presets hugg", ["labeler", "presets", "hugging-face"]),
    ("cairn export coco --several ski", ["export", "coco", "--several", "skip"]),
    ("cairn find state:conf", ["find", "state:confirmed"]),
    ("cairn find by:ali", ["find", "by:alice@example.org"]),
    ("cairn find -label:hea", ["find", "-label:heather"]),
    ("cairn find --format geo", ["find", "--format", "geojson"]),
    ("cairn find --sort tak", ["find", "--sort", "taken"]),
    ("cairn label x heather --confi", ["label", "x", "heather", "--confidence"]),
])
def test_completes(shell: Shell, line: str, arguments: list[str]) -> None:
    # zsh removes the slash of a folder when the line ends there.
    assert [word.rstrip("/") for word in shell.complete(line)] == [word.rstrip("/") for word in arguments]


def test_names_of_the_dataset_of_another_directory(shell: Shell) -> None:
    # The home directory of the shell contains the dataset; there is no such folder in the dataset.
    assert shell.complete("cairn -C ~/walk pin show Rid")[2:] == ["pin", "show", "Ridge"]
    assert shell.complete("cairn -C ~/nowhere pin show Rid")[2:] == ["pin", "show", "Rid"]


@pytest.mark.parametrize("quote", ["", '"', "'"])
@pytest.mark.parametrize("line, name", [
    ("cairn pin show {}Ra", "Ravine" + SPECIAL), ("cairn pin show {}Su", "Summit $HOME"),
    ("cairn label x --class {}mo", "moss" + SPECIAL),
])
def test_names_run_nothing(shell: Shell, walk: pathlib.Path, line: str, quote: str, name: str) -> None:
    assert shell.complete(line.format(quote))[-1] == name
    assert not (walk / "ran").exists()


def test_names_among_files_run_nothing(shell: Shell, walk: pathlib.Path) -> None:
    # bash escapes these names itself, but not all of what it expands: cairn leaves out such a name.
    name = "mo" if shell.name == "bash" else "moss" + SPECIAL
    assert shell.complete("cairn label x mo") == ["label", "x", name]
    assert not (walk / "ran").exists()


@pytest.fixture(scope="module")
def forest(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A dataset of the optimized program, with 1,000 photos, 300 classes and 3,000 labels."""
    root = home(tmp_path_factory, "forest", OPTIMIZED)
    forest, env = root / "forest", environment(root)
    for folder in (forest, root / "photos"):
        folder.mkdir()
    for index in range(1000):
        Image.new("RGB", (8, 8), (index % 256, index // 256, 7)).save(root / "photos" / f"{index}.png")
    rows = [f"{index}.png,class {(index + 7 * step) % 300}\n" for index in range(1000) for step in range(3)]
    (root / "labels.csv").write_text("image,label\n" + "".join(rows))
    for arguments in (
            ["init", "."], ["photo", "add", str(root / "photos")],
            ["import", "csv", str(root / "labels.csv"), "--match-names", "--annotator", "alice@example.org"]):
        subprocess.run(["cairn", *arguments], cwd=forest, env=env, check=True, capture_output=True)
    return forest


@pytest.mark.skipif(not OPTIMIZED.exists(), reason="there is no optimized program: run `make release`")
@pytest.mark.parametrize("line", ["cairn label x 'class 12", "cairn find label:clas", "cairn photo ad"])
def test_within_50_milliseconds(forest: pathlib.Path, line: str) -> None:
    """Measures what bash and cairn need for a completion, in time of processors, which does not depend on what else
    the machine does."""
    env = environment(forest.parent)
    script = subprocess.run(["cairn", "completion", "bash"], env=env, check=True, capture_output=True, text=True).stdout
    times = []
    for completes in [False, True] * 21:
        # The time in which bash only starts does not count. Only a process that bash waits for counts.
        code = script + f"""
            compopt() {{ :; }}
            COMP_LINE={shlex.quote(line)}
            COMP_POINT=${{#COMP_LINE}}
            COMP_WORDS=($COMP_LINE)
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            {"_cairn cairn; wait $!" if completes else ""}
            echo ${{#COMPREPLY[@]}}"""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = subprocess.run(
            ["bash", "--norc", "--noprofile", "-c", code], cwd=forest, env=env, check=True, capture_output=True,
            text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert (int(found.stdout) > 0) == completes
        times.append((after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime))
    needed = statistics.median(times[1::2]) - statistics.median(times[::2])
    print(f"{line}: {needed * 1000:.1f} ms")
    assert needed < 0.05
