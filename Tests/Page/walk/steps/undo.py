"""Point 4: undo goes back to the first action, whatever server and page it was made with."""

from playwright.sync_api import expect

from browser import Tab
from grid_page import Grid
from walk import step

QUERY = "pin:Loch -label:heather"


def states(dataset, photos):
    """Returns what the documents say of photos: classes and their states, for each."""
    return {
        photo: {(one["class"], one["state"]) for one in dataset.show(photo)["resolution"] if one["state"] != "open"}
        for photo in photos}


@step("4 undo: without limit, also what earlier servers and pages did")
def undo_all(walk):
    bob = walk.bob
    photos = bob.find(QUERY)[:8]
    before, favorites = states(bob, photos), bob.find("is:favorite")
    done = 0
    for act in [label, judge]:
        with_page(walk, lambda tab: act(walk, tab, photos))
    changed = states(bob, photos)
    assert all(changed[photo] != before[photo] for photo in photos), changed

    def undo(tab):
        nonlocal done
        grid, page = Grid(tab.page), tab.page
        grid.expect_count(bob.count())
        left = tab.server.request("GET", "/api/actions")["left"]
        assert left == 2 * len(photos) + 2, left
        for number in range(left, 0, -1):
            with page.expect_response(lambda one: one.url.endswith("/api/undo")) as answer:
                page.keyboard.press("u")
            assert answer.value.status == 200 and answer.value.json()["left"] == number - 1, answer.value.text()
        with page.expect_response(lambda one: one.url.endswith("/api/undo")) as answer:
            page.keyboard.press("u")
        assert answer.value.status == 404
        expect(grid.messages).to_contain_text("There is nothing to undo.")
        done = left

    with_page(walk, undo)
    assert states(bob, photos) == before
    assert bob.find("is:favorite") == favorites
    print(f"        {done} actions undone")


def with_page(walk, act):
    """Does something with a server and a page of its own."""
    server = walk.start(walk.bob)
    tab = Tab(walk.browser, server).open()
    try:
        act(tab)
        problems = tab.take_problems()
        assert not problems, problems
    finally:
        tab.close()
        server.stop()


def click(walk, tab, photos, *modifiers):
    """Clicks one photo of the grid after the other."""
    grid = Grid(tab.page)
    grid.search("pin:Loch")
    grid.expect_count(walk.bob.count("pin:Loch"))
    names = {photo: walk.bob.show(photo)["photo"]["source"] for photo in photos}
    for photo in photos:
        grid.of(names[photo]).click(modifiers=modifiers)
        yield photo


def saved(page, press):
    """Does something that saves one edit."""
    with page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok):
        press()


def label(walk, tab, photos):
    """One label on each photo, and a favorite."""
    page, grid = tab.page, Grid(tab.page)
    key = None
    for _ in click(walk, tab, photos):
        key = key or grid.key_of("heather")
        saved(page, lambda: page.keyboard.press(key))
    next(click(walk, tab, photos[:1]))
    saved(page, lambda: page.keyboard.press("f"))


def judge(walk, tab, photos):
    """Takes each label back, and labels all photos at once."""
    page, grid = tab.page, Grid(tab.page)
    for _ in click(walk, tab, photos):
        saved(page, lambda: page.keyboard.press("w"))
    for _ in click(walk, tab, photos, "Control"):
        pass
    grid.expect_selected(len(photos))
    saved(page, lambda: page.keyboard.press(grid.key_of("heather")))
