"""The pages of the library's public types. SYMBOLS names the directory of the symbol graphs."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYMBOLS = pathlib.Path(os.environ["SYMBOLS"])

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Sources/Packaging"))

from reference import Reference  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("site") / "docs"
    subprocess.run([sys.executable, str(ROOT / "Sources/Packaging/site"), str(folder), str(SYMBOLS)], check=True)
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
    assert "Labels photos: sets the annotator" in member
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
