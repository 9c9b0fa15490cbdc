"""Point 10: several people."""

import hashlib
import re
import ssl

from playwright.sync_api import expect

from browser import Tab
from grid_page import Grid
from steps.review import Review, suggested
from walk import step


@step("10 people: an invited person labels under their own name, and both see each other",
      tags=("main",))
def invited(walk):
    server = walk.start(walk.ann, "--lan", "--invite", "Eve <eve@example.org>")
    link = server.links["invited"][0]["link"]
    assert link.startswith("https://"), link
    certificate = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", server.port)))
    digest = hashlib.sha256(certificate).hexdigest().upper()
    assert server.links["fingerprint"].replace(":", "").upper() == digest, server.links
    ann = Tab(walk.browser, server, ignore_https_errors=True).open()
    eve = Tab(walk.browser, server, ignore_https_errors=True).open(local(link, server))
    try:
        grid = Grid(eve.page)
        grid.search("pin:Loch")
        grid.expect_count(walk.ann.count("pin:Loch"))
        name = grid.name(5)
        photo = next(entry["photo"]["id"] for entry in walk.ann.json("photo", "list", "pin:Loch")
                     if entry["photo"]["source"] == name)
        mine = walk.ann.verdict(photo, "pine")
        grid.focus(5)
        eve.page.keyboard.press(grid.key_of("pine"))
        expect(grid.of(name)).to_have_accessible_name(re.compile("pine"))
        eve.page.wait_for_function("() => !document.querySelector('.pending:not([hidden])')")
        assert walk.ann.verdict(photo, "pine", person="eve") == "present"
        assert walk.ann.verdict(photo, "pine") == mine

        # Both open the review, and are asked about this, whatever was answered before. Eve is also
        # asked about what Ann has answered, and skips that.
        walk.ann.cairn("label", photo, "lichen", "--as", "guide@1", "--confidence", "0.6", "--quiet")
        for tab in (ann, eve):
            tab.go("review")
            expect(Review(tab.page).question).to_be_visible()
        asked = Review(ann.page).name()
        while Review(eve.page).name() != asked:
            Review(eve.page).press("s")
        expect(ann.page.get_by_text("Eve is looking at this, too.")).to_be_visible()
        walk.shot("people-review", ann.page)
        question, about = Review(eve.page), suggested(Review(eve.page))
        shown = question.name()
        question.press("a")
        expect(ann.page.locator(".review-name")).not_to_have_text(shown)
        key = next(entry["photo"]["id"] for entry in walk.ann.json("photo", "list")
                   if entry["photo"]["source"] == shown)
        assert walk.ann.verdict(key, about, person="eve") == "present"

        ann.go("people")
        eve.go("map")
        row = ann.page.get_by_role("listitem").filter(has_text="Eve")
        expect(row).to_contain_text("online · on the map")
        walk.shot("people", ann.page)
        eve.close()
        expect(row).to_contain_text("offline")
        assert not ann.take_problems()
    finally:
        ann.close()
        eve.close()
        server.stop()


def local(link, server):
    """Returns the link with this computer's address, which is the only one in the walk's network."""
    return re.sub(r"//[^/]+/", f"//127.0.0.1:{server.port}/", link)
