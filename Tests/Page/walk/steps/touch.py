"""What fingers do on a phone: points 2 to 5."""

import re

from playwright.sync_api import expect

from fingers import middle, phone
from grid_page import Grid
from steps.add import make
from steps.grid import ids
from steps.map import camera, HARBOR, Map, pins
from steps.photo import near, Photo
from steps.review import Review
from walk import step


@step("2 touch: a finger scrolls the grid, two resize its photos, a long press selects", tags=("chromium",))
def in_grid(walk):
    with phone(walk, "grid") as (tab, fingers):
        page, grid = tab.page, Grid(tab.page)
        grid.expect_count(walk.ann.count())
        grid.expect_pictures(9)
        x, y = middle(grid.list.locator("xpath=.."))
        width = grid.cell(1).bounding_box()["width"]
        fingers.pinch(x, y, 80, 200)
        wait_for_width(page, f"> {1.5 * width}")
        walk.shot("touch-pinched", page)
        fingers.pinch(x, y, 200, 60)
        wait_for_width(page, f"< {1.2 * width}")
        fingers.drag(((x, y + 150), (x, y - 250)))
        page.wait_for_function("() => document.querySelector('cairn-grid .grid-scroller').scrollTop > 100")
        expect(page).to_have_url(re.compile("#/grid"))
        fingers.drag(((x, y - 250), (x, y + 300)))
        page.wait_for_function("() => document.querySelector('cairn-grid .grid-scroller').scrollTop === 0")
        fingers.put(middle(grid.cell(2)))
        grid.expect_selected(1)
        fingers.lift()
        fingers.tap(*middle(grid.cell(3)))
        grid.expect_selected(2)
        walk.shot("touch-selected", page)
        page.get_by_role("button", name="Clear", exact=True).tap()
        expect(grid.bar).not_to_contain_text("selected")


def wait_for_width(page, condition):
    """Waits until the first photo of the grid is so wide."""
    page.wait_for_function(f"""() => document.querySelector(
      "cairn-grid [aria-posinset='1']:not([hidden])")?.getBoundingClientRect().width {condition}""")


@step("3 touch: a swipe shows the next photo, two fingers zoom it", tags=("chromium",))
def in_photo(walk):
    query = "pin:Harbor"
    count = walk.ann.count(query)
    with phone(walk, f"grid?q={query}") as (tab, fingers):
        photo, grid = Photo(tab.page), Grid(tab.page)
        grid.expect_count(count)
        fingers.tap(*middle(grid.cell(1)))
        photo.expect_decoded()
        place = photo.view.locator(".photo-place")
        expect(place).to_have_text(f"1 of {count}")
        x, y = middle(photo.stage)
        fingers.drag(((x + 100, y), (x - 100, y + 5)))
        expect(place).to_have_text(f"2 of {count}")
        photo.expect_decoded()
        fingers.drag(((x - 100, y), (x + 100, y - 5)))
        expect(place).to_have_text(f"1 of {count}")
        photo.expect_decoded()
        fit = photo.zoom()
        fingers.pinch(x, y, 60, 180)
        expect(photo.view.locator(".zoom-level")).not_to_have_text(f"{fit}%")
        assert photo.zoom() > 2 * fit, f"{fit}% → {photo.zoom()}%"
        walk.shot("touch-zoomed", tab.page)
        # A zoomed photo is moved, not swiped.
        before = photo.view.locator(".picture").bounding_box()
        fingers.drag(((x + 40, y), (x - 60, y)))
        after = photo.view.locator(".picture").bounding_box()
        assert after["x"] < before["x"] - 50, f"{before} → {after}"
        expect(place).to_have_text(f"1 of {count}")


@step("3 touch: a finger draws a box and an outline", tags=("chromium",))
def draws(walk):
    query = "pin:Harbor"
    with phone(walk, f"grid?q={query}") as (tab, fingers):
        page, photo, grid = tab.page, Photo(tab.page), Grid(tab.page)
        grid.expect_count(walk.ann.count(query))
        fingers.tap(*middle(grid.cell(1)))
        photo.expect_decoded()
        key = re.search(r"#/photo/([0-9a-f]{64})", page.url)[1]
        assert walk.ann.boxes(key) == []

        def at(x, y):
            picture = photo.view.locator(".picture").bounding_box()
            return picture["x"] + x * picture["width"], picture["y"] + y * picture["height"]

        def save_as(title, name):
            field = page.get_by_role("dialog", name=title).get_by_role("combobox")
            field.fill(name)
            with page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok):
                field.press("Enter")

        photo.view.get_by_role("button", name="Draw a box").first.tap()
        expect(page.get_by_text("Drag to draw a box.")).to_be_visible()
        fingers.drag((at(0.2, 0.2), at(0.5, 0.6)))
        save_as("What is in the box?", "oak")
        [box] = walk.ann.boxes(key)
        assert near(box["region"], x=0.2, y=0.2, width=0.3, height=0.4), box
        photo.view.get_by_role("button", name="Draw an outline").first.tap()
        expect(page.get_by_text("Click each corner")).to_be_visible()
        walk.shot("touch-drawing", page)
        tab.check_accessibility("drawing on a phone")
        # A tap on the first corner closes the outline.
        for corner in [(0.6, 0.2), (0.9, 0.2), (0.75, 0.7), (0.6, 0.2)]:
            fingers.tap(*at(*corner))
        save_as("What does the outline enclose?", "elm")
        [outline] = [label for label in walk.ann.boxes(key) if label["class"] == "elm"]
        assert near(outline["region"], x=0.6, y=0.2, width=0.3, height=0.5), outline
        assert len(outline["region"]["polygons"][0][0]) == 6, outline
        walk.shot("touch-outline", page)


@step("4 touch: a swipe accepts or rejects what a model says", tags=("chromium",))
def in_review(walk):
    first, second = walk.ann.find("pin:Loch -label:heather")[:2]
    walk.ann.cairn("label", first, second, "heather", "--as", "scout@1", "--confidence", "0.6", "--quiet")
    names = ids(walk)
    with phone(walk, "review?q=model:scout@1&class=heather") as (tab, fingers):
        review = Review(tab.page)
        expect(review.place).to_have_text("1 of 2")
        review.expect_shown()
        # On its side, the phone shows the question beside the photo, which keeps its size.
        upright = tab.page.viewport_size
        tab.page.set_viewport_size({"width": upright["height"], "height": upright["width"]})
        tab.page.wait_for_function(
            "() => document.querySelector('cairn-review .picture').getBoundingClientRect().height > 200")
        tab.page.set_viewport_size(upright)
        for direction, verdict in [(1, "present"), (-1, "absent")]:
            review.expect_shown()
            photo = names[review.name()]
            x, y = middle(review.view.locator(".stage"))
            with tab.page.expect_response(lambda one: "/answers" in one.url and one.ok):
                fingers.drag(((x - 100 * direction, y), (x + 100 * direction, y)))
            assert walk.ann.verdict(photo, "heather") == verdict
            expect(review.view).not_to_contain_text(photo)
        # The end has no photo, and no room for one.
        expect(review.view.locator(".stage")).to_be_hidden()
        walk.shot("touch-review", tab.page)


@step("5 touch: fingers move and zoom the map, and a long press drops a pin, which a finger moves", tags=("chromium",))
def on_map(walk):
    with phone(walk, f"map?at={HARBOR},12") as (tab, fingers):
        page, view = tab.page, Map(tab.page)
        expect(view.total).to_have_text(re.compile(r"\d photos? here"))
        x, y = view.middle()
        before = camera(page)
        fingers.pinch(x, y, 80, 170)
        after = camera(page)
        assert 0.8 < after["zoom"] - before["zoom"] < 1.3, f"{before} → {after}"
        fingers.drag(((x, y), (x + 60, y + 40)))
        moved = camera(page)
        assert moved["x"] < after["x"] and moved["y"] < after["y"], f"{after} → {moved}"
        assert moved["zoom"] == after["zoom"]
        fingers.put((x - 90, y - 90))
        expect(view.title).to_have_text("Pin without a name")
        fingers.lift()
        new = pins(walk)[""]
        walk.shot("touch-pin", page)
        with view.read():
            tab.go(f"map?at={new['latitude']},{new['longitude']},12")
        expect(view.title).to_have_text("Pin without a name")
        x, y = view.middle()
        with page.expect_response(lambda one: one.request.method == "PATCH" and one.ok):
            fingers.drag(((x, y), (x + 60, y - 60)))
        dragged = pins(walk)[""]
        assert dragged["longitude"] > new["longitude"] and dragged["latitude"] > new["latitude"], dragged
        for _ in range(2):
            with page.expect_response(lambda one: "/api/undo" in one.url and one.ok):
                page.get_by_role("button", name="Undo", exact=True).first.tap()
        assert "" not in pins(walk)


@step("8 touch: the phone's camera adds a photo at the open pin", tags=("chromium",))
def from_camera(walk):
    taken = make(walk.workspace.root / "taken", 1000, 1)[0]
    harbor = walk.ann.count("pin:Harbor")
    with phone(walk, f"map?at={HARBOR},13&pin={pins(walk)['Harbor']['id']}") as (tab, fingers):
        page, view = tab.page, Map(tab.page)
        expect(view.title).to_have_text("Harbor")
        fingers.tap(*middle(view.panel.get_by_role("link", name="Add photos")))
        button = page.get_by_role("button", name="Take a photo")
        expect(button).to_have_count(1)
        expect(button).to_be_visible()
        with page.expect_file_chooser() as chooser:
            button.tap()
        assert chooser.value.element.get_attribute("capture") == "environment"
        assert not chooser.value.is_multiple()
        chooser.value.set_files(taken)
        expect(page.locator("cairn-add")).to_contain_text("Finished · 1 added")
        walk.shot("touch-camera", page)
    assert walk.ann.count("pin:Harbor") == harbor + 1
