"""Point 1: the command, its link, and its end."""

import re

from playwright.sync_api import expect

from browser import Tab
from grid_page import Grid
from walk import step


@step("1 serve: the link opens the page once", tags=("main",))
def link(walk):
    expect(walk.page.get_by_role("heading", name="Highland walk")).to_be_visible()
    assert "token" not in walk.page.url, walk.page.url
    cookie = next(c for c in walk.tab.context.cookies() if c["name"] == f"cairn-{walk.server.port}")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
    stranger = Tab(walk.browser, walk.server)
    stranger.is_lenient = True
    response = stranger.page.goto(walk.server.url)
    assert response.status == 401, response.status
    expect(stranger.page.locator("body")).to_contain_text("cairn serve")
    stranger.close()


@step("1 serve: --read-only changes nothing", tags=("chromium",))
def read_only(walk):
    server = walk.start(walk.bob, "--read-only")
    tab = Tab(walk.browser, server).open()
    try:
        grid, page = Grid(tab.page), tab.page
        expect(page.get_by_text("Read-only: nothing can be changed here.")).to_be_visible()
        grid.expect_count(walk.bob.count())
        expect(grid.class_button("oak")).to_be_disabled()
        grid.focus(1)
        before = walk.bob.cairn("status")
        # A key in the grid: the server refuses, and the page says so.
        tab.is_lenient = True
        with page.expect_response(lambda one: one.url.endswith("/api/edits") and one.status == 403):
            page.keyboard.press(grid.key_of("oak"))
        expect(grid.messages.get_by_role("alert")).to_be_visible()
        grid.messages.get_by_role("button", name="Close").click()
        tab.is_lenient = False
        for look in [reads_photo, reads_review, reads_map, reads_others]:
            look(walk, tab)
        assert walk.bob.cairn("status") == before
        problems = tab.take_problems()
        assert not problems, problems
    finally:
        tab.close()
        assert server.stop() == 0
    walk.bob.cairn("verify")


def reads_photo(walk, tab):
    """Looks at a photo without changing it."""
    page, view = tab.page, tab.page.locator("cairn-photo")
    tab.go(f"photo/{walk.bob.find('label:oak')[0]}")
    labels = view.get_by_role("region", name="Labels")
    expect(labels.locator(".class-row").first).to_be_visible()
    expect(labels.get_by_role("button", name=re.compile("is (present|absent)$"))).to_have_count(0)
    expect(view.get_by_role("textbox", name="Title")).not_to_be_editable()
    for name in ["Favorite", "Remove"]:
        expect(view.get_by_role("button", name=re.compile(f"^{name}")).first).to_be_disabled()
    for key in "1afwbo":
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_have_count(0)
    walk.shot("read-only-photo", page)


def reads_review(walk, tab):
    """Reads a question that it cannot answer."""
    page = tab.page
    tab.go("review")
    panel = page.get_by_role("region", name="Question", exact=True)
    name = panel.locator(".review-name")
    expect(name).to_be_visible()
    before = name.inner_text()
    expect(panel.get_by_role("button", name=re.compile("^a ?Accept|^Accept"))).to_be_disabled()
    for key in "ar1f":
        page.keyboard.press(key)
    expect(name).to_have_text(before)
    page.keyboard.press("s")
    expect(name).not_to_have_text(before)


def reads_map(walk, tab):
    """Opens a pin that it can neither move nor remove, and adds none."""
    page = tab.page
    pins = walk.bob.json("pin", "list")
    pin = next(one for one in pins if one["name"] == "Harbor")
    tab.go(f"map?at={pin['latitude']},{pin['longitude']},13&pin={pin['id']}")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", level=2)).to_have_text("Harbor")
    expect(panel.locator(".pin-count")).to_have_text(re.compile(r"\d photos"))
    for name in ["Rename", "Move", "Remove"]:
        expect(panel.get_by_role("button", name=name, exact=True)).to_have_count(0)
    expect(page.get_by_text("Fetch photos here")).to_have_count(0)
    page.get_by_role("application").focus()
    for key in ["n", "m", "e", "Delete", "f"]:
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Where should the pin go?")).to_have_count(0)
    walk.shot("read-only-map", page)
    assert walk.bob.json("pin", "list") == pins


def reads_others(walk, tab):
    """Finds no form and no button that changes something in the other views."""
    page = tab.page
    tab.go("table")
    cell = page.get_by_role("grid", name="Labels").get_by_role("gridcell").first
    expect(cell).to_be_visible()
    tab.go("models")
    expect(page.locator("cairn-models table").first).to_be_visible()
    expect(page.get_by_role("button", name="Predict", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name=re.compile("^Withdraw"))).to_have_count(0)
    tab.go("add")
    expect(page.locator("cairn-add").get_by_text("Read-only")).to_be_visible()
    expect(page.get_by_label("Choose photos")).to_have_count(0)
    tab.go("sync")
    expect(page.get_by_text("origin", exact=True)).to_be_visible()
    for name in ["Sync", "Commit"]:
        for button in page.get_by_role("button", name=name, exact=True).all():
            expect(button).to_be_disabled()
    tab.go("people")
    expect(page.locator("cairn-people li").first).to_be_visible()
    walk.shot("read-only-people", page)
