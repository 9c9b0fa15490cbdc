"""The pages of the commands and of the library's public types.

CAIRN names the program, and SYMBOLS the directory of the symbol graphs.
"""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAIRN = os.environ["CAIRN"]
SYMBOLS = pathlib.Path(os.environ["SYMBOLS"])

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Sources/Packaging"))

from reference import Reference  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("site") / "docs"
    program = str(ROOT / "Sources/Packaging/site")
    subprocess.run([sys.executable, program, str(folder), CAIRN, str(SYMBOLS)], check=True)
    return folder


def test_each_type_has_a_page_and_is_listed(site: pathlib.Path) -> None:
    listed = (site / "api.html").read_text()
    for path in Reference(SYMBOLS).types:
        page = site / f"api-{'.'.join(path)}.html"
        assert f"<title>{'.'.join(path)}</title>" in page.read_text()
        assert len(path) > 1 or f'href="{page.name}"' in listed


def test_a_member_has_its_declaration_with_links_and_its_documentation(site: pathlib.Path) -> None:
    page = (site / "api-Dataset.html").read_text()
    start = page.index('<h3 id="label(_:_:_:)">')
    member = page[start:page.index("<h3", start + 1)]
    assert "Labels photos: sets the annotator" in member and "<strong>Throws:</strong>" in member
    assert '-&gt; [<a href="api-LabelResult.html">LabelResult</a>]' in member
    # Members of a type with files in several folders are grouped by these.
    assert '<h2 id="labels">Labels</h2>' in page[:start]


def test_links_to_symbols_lead_to_their_pages(site: pathlib.Path) -> None:
    assert '<a href="api-Dataset.html"><code>Dataset</code></a>' in (site / "Cairn.html").read_text()
    links = re.findall(r'href="(api-[^"#]*)#([^"]*)"', (site / "api-Dataset.html").read_text())
    assert ("api-CairnError.Kind.html", "invalidInput") in links
    assert all(f'id="{anchor}"' in (site / name).read_text() for name, anchor in links)


def test_a_link_finds_the_nearest_symbol() -> None:
    reference = Reference(SYMBOLS)
    assert reference.find("Dataset") == ("Dataset",)
    assert reference.find("Kind/notFound", ("CairnError",)) == ("CairnError", "Kind", "notFound")
    assert reference.find("label(_:_:_:)", ("Dataset",)) == ("Dataset", "label(_:_:_:)")
    assert reference.find("label(_:_:_:)") is None and reference.find("Replica") is None


def test_the_first_paragraph_of_a_comment_ends_at_a_list() -> None:
    from reference import Symbol, rest

    one = Symbol(("Dataset", "log()"), "method", "Cairn", [], "Lists\ncommits.\n- Throws: no dataset.", "", 1)
    assert one.abstract == "Lists commits." and rest(one) == "- **Throws:** no dataset."
    one.comment = "Lists commits.\n\nNewest first."
    assert one.abstract == "Lists commits." and rest(one) == "Newest first."


def test_a_command_has_a_page_with_its_options_and_examples(site: pathlib.Path) -> None:
    page = (site / "command-cairn-photo-add.html").read_text()
    assert "<title>cairn photo add</title>" in page and "<code>--keywords</code>" in page
    assert "cairn photo add" in page[page.index('<h2 id="examples">'):page.index('<h2 id="options">')]
    assert 'href="command-cairn-photo.html"' in page
    group = (site / "command-cairn-photo.html").read_text()
    assert 'href="command-cairn-photo-add.html"' in group
    # What is hidden has no page, and each listed one exists.
    assert not (site / "command-cairn-complete.html").exists()
    for name in re.findall(r'href="(command-[^"]*)"', group + (site / "command-cairn.html").read_text()):
        assert (site / name).is_file()


def test_the_python_package_has_a_page_with_its_docstrings(site: pathlib.Path) -> None:
    page = (site / "python.html").read_text()
    names = re.search(r"__all__ = \[(.*?)\]", (ROOT / "Sources/Python/cairn_data/__init__.py").read_text(), re.S)
    assert names
    for name in re.findall(r'"(\w+)"', names[1]):
        assert f">{name}</h2>" in page or f"<code>{name}</code></h3>" in page, name
    train = page[page.index("<code>Dataset.train</code>"):]
    assert "train(name: str, query: str = &#x27;&#x27;, *, exclusive_set: str | None = None" in train
    assert "Trains a model of cairn on people's labels" in train


def test_text_of_the_help_is_no_markup() -> None:
    from commands import prose

    assert prose("an_old *name* <email> and `a_b <c>`") == r"an\_old \*name\* \<email\> and `a_b <c>`"
