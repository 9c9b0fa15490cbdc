"""Point 3: one photo."""

import re

from playwright.sync_api import expect

from grid_page import Grid
from steps.grid import ids, strongest
from walk import step


class Photo:
    """The view of one photo."""

    def __init__(self, page):
        self.page = page
        self.view = page.locator("cairn-photo")
        self.stage = self.view.locator(".stage")
        self.labels = self.view.get_by_role("region", name="Labels")
        self.facts = self.view.get_by_role("region", name="About this photo")
        self.name = self.view.get_by_role("heading", level=2).first

    def expect_decoded(self):
        """Waits until the photo itself is shown, a canvas, and not its thumbnail, an image."""
        self.page.wait_for_function(
            """() => document.querySelector("cairn-photo .picture canvas")?.width > 0""")

    def percentages(self):
        """Returns the classes with percentages, in the order shown."""
        return [
            (row.locator(".class-name").inner_text(),
             int(row.locator(".class-percent").inner_text().rstrip("%")))
            for row in self.labels.locator(".class-list").first.locator(".class-row").all()]

    def zoom(self):
        return int(self.view.locator(".zoom-level").inner_text().rstrip("%"))


def open_first(walk, query):
    """Opens the first photo of a query; returns the view, and the id of the photo."""
    grid, photo = Grid(walk.page), Photo(walk.page)
    walk.tab.go("grid")
    grid.search(query)
    grid.expect_count(walk.ann.count(query))
    name = grid.name(1)
    grid.open(1)
    expect(photo.name).to_have_text(name)
    photo.expect_decoded()
    return photo, ids(walk)[name]


@step("3 photo: percentages, why, history, metadata and the map")
def reads(walk):
    photo, key = open_first(walk, "label:oak state:disputed,confirmed model:net")
    expect(photo.labels.locator(".class-row").first).to_be_visible()
    shown = photo.percentages()
    resolution = walk.ann.show(key)["resolution"]
    wanted = sorted(
        (round(100 * one["confidence"]) for one in resolution
         if one["state"] != "rejected" and one["confidence"] > 0), reverse=True)
    assert [percent for _, percent in shown] == wanted, f"{shown} instead of {wanted}"
    # Who says so, and when.
    expect(photo.labels.locator(".class-who").first).to_have_text(
        re.compile(r"^(Confirmed|Disputed) · .*\bAnn\b.* · \w+ \d+, \d{4}"))
    photo.labels.get_by_text("Why").first.click()
    expect(photo.labels.locator(".evidence").first).to_contain_text("Ann present")
    expect(photo.labels.locator(".evidence").first).to_contain_text("commit")
    walk.page.get_by_text("History", exact=True).click()
    history = walk.page.get_by_role("region", name="History and similar photos")
    expect(history).to_contain_text("Ann")
    expect(photo.facts).to_contain_text("Cairn Test")
    expect(photo.facts).to_contain_text("480 × 360")
    walk.shot("photo")
    photo.facts.get_by_role("link", name=re.compile(r"56\.\d+")).click()
    expect(walk.page).to_have_url(re.compile(r"#/map.*at=56\.[78]"))
    walk.page.go_back()
    expect(photo.name).to_be_visible()


@step("3 photo: while a photo is read, the labels of the one before edit nothing")
def waits(walk):
    photo, _ = open_first(walk, "label:oak")
    page, path = walk.page, "**/api/photos/*"
    verdict = photo.labels.locator(".verdict.absent").first
    expect(verdict).to_be_visible()
    held, edits = [], []
    page.route(path, lambda route: held.append(route))
    page.on("request", lambda one: edits.append(one.url) if one.url.endswith("/api/edits") else None)
    with page.expect_request(path):
        page.keyboard.press("ArrowRight")
    verdict.click()
    while held:
        held.pop().continue_()
    page.unroute(path)
    expect(photo.view.locator(".photo-side")).not_to_have_attribute("aria-busy", "true")
    assert not edits, edits


@step("3 photo: zoom and pan by mouse, wheel and keys")
def zooms(walk):
    photo, _ = open_first(walk, "pin:Harbor")
    fit = photo.zoom()
    walk.page.keyboard.press("+")
    walk.page.keyboard.press("+")
    expect(photo.view.locator(".zoom-level")).not_to_have_text(f"{fit}%")
    keyed = photo.zoom()
    assert keyed > fit, f"{fit}% → {keyed}%"
    box = photo.stage.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    walk.page.mouse.move(x, y)
    walk.page.mouse.wheel(0, -300)
    expect(photo.view.locator(".zoom-level")).not_to_have_text(f"{keyed}%")
    before = photo.view.locator(".picture").bounding_box()
    walk.page.mouse.down()
    walk.page.mouse.move(x + 60, y + 40, steps=4)
    walk.page.mouse.up()
    after = photo.view.locator(".picture").bounding_box()
    assert abs(after["x"] - before["x"] - 60) < 3, f"{before} → {after}"
    walk.page.keyboard.press("ArrowRight")
    walk.page.wait_for_function(
        "x => Math.abs(document.querySelector('cairn-photo .picture').getBoundingClientRect().x - x) > 3",
        arg=after["x"])
    walk.shot("photo-zoomed")
    walk.page.keyboard.press("0")
    expect(photo.view.locator(".zoom-level")).to_have_text(f"{fit}%")


@step("3 photo: next and previous without a flicker")
def steps(walk):
    photo, _ = open_first(walk, "pin:Harbor")
    count = walk.ann.count("pin:Harbor")
    expect(photo.view.locator(".photo-place")).to_have_text(f"1 of {count}")
    # In each frame from now on, there is a picture.
    walk.page.evaluate("""() => {
      window.flicker = { frames: 0, empty: 0 };
      const look = () => {
        const shown = document.querySelector("cairn-photo .picture :is(canvas, img)");
        flicker.frames += 1;
        if (!(shown?.naturalWidth > 0 || shown?.width > 0)) flicker.empty += 1;
        if (!flicker.stop) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }""")
    for number in range(2, 7):
        walk.page.keyboard.press("n")
        expect(photo.view.locator(".photo-place")).to_have_text(f"{number} of {count}")
        photo.expect_decoded()
    walk.page.keyboard.press("ArrowLeft")
    expect(photo.view.locator(".photo-place")).to_have_text(f"5 of {count}")
    seen = walk.page.evaluate("() => { flicker.stop = true; return flicker; }")
    assert seen["empty"] == 0, f"{seen['empty']} of {seen['frames']} frames had no picture"
    walk.page.keyboard.press("Escape")
    # The grid shows the photo that was open last.
    expect(Grid(walk.page).cell(5)).to_have_class(re.compile("focused"))


@step("3 photo: labels, title and caption")
def edits(walk):
    photo, key = open_first(walk, "pin:Loch -label:heather -label:oak")
    page = walk.page
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Type a class")
    dialog.get_by_role("combobox").fill("heather")
    dialog.get_by_role("combobox").press("Enter")
    verdict = photo.labels.get_by_role("button", name="heather is present")
    expect(verdict).to_have_attribute("aria-pressed", "true")
    assert walk.ann.verdict(key, "heather") == "present"
    photo.labels.get_by_role("button", name="heather is absent").click()
    expect(photo.labels.get_by_text(re.compile(r"^Rejected: (.*, )?heather\b"))).to_be_visible()
    assert walk.ann.verdict(key, "heather") == "absent"
    # The classes with keys are buttons, too; a second click takes the label back.
    key_button = photo.labels.get_by_role("toolbar", name="Classes").get_by_role("button", pressed=False).first
    name = key_button.locator("span").inner_text()
    chosen = photo.labels.get_by_role("button", name=name, exact=True)
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(chosen).to_be_focused()
    assert walk.ann.verdict(key, name.lower()) == "present"
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "false")
    assert walk.ann.verdict(key, name.lower()) == "withdrawn"
    hostile = '<b onmouseover="alert(1)">Old tree</b> & "friends"'
    title = photo.facts.get_by_role("textbox", name="Title")
    title.fill(hostile)
    title.press("Enter")
    expect(photo.facts.get_by_text("Saved")).to_be_visible()
    caption = photo.facts.get_by_role("textbox", name="Caption")
    caption.fill("A tree by the loch,\nin autumn")
    caption.press("Control+Enter")
    expect(photo.facts.get_by_text("Saved")).to_have_count(2)
    shown = walk.ann.show(key)["photo"]
    assert shown["title"] == hostile, shown["title"]
    assert shown["caption"] == "A tree by the loch,\nin autumn", shown["caption"]
    expect(photo.name).to_have_text(hostile)
    walk.shot("photo-edited")
    title.fill("")
    title.press("Enter")
    expect(photo.name).not_to_have_text(hostile)


@step("3 photo: keys label, accept and withdraw, and go on to the next photo")
def goes_on(walk):
    query = "pin:Harbor state:predicted -state:disputed -label:heather"
    walk.tab.go("grid")
    heather = Grid(walk.page).key_of("heather")
    photo, key = open_first(walk, query)
    page, count = walk.page, walk.ann.count(query)
    place = photo.view.locator(".photo-place")

    def press(name, number):
        """Presses a key, which saves a label and opens the photo at a position."""
        with page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok):
            page.keyboard.press(name)
        expect(place).to_have_text(f"{number} of {count}")

    press(heather, 2)
    assert walk.ann.verdict(key, "heather") == "present"
    page.keyboard.press("p")
    expect(place).to_have_text(f"1 of {count}")
    expect(photo.labels.get_by_role("button", name="heather is present")).to_have_attribute("aria-pressed", "true")
    best = strongest(walk, key)
    press("a", 2)
    assert walk.ann.verdict(key, best) == "present"
    page.keyboard.press("p")
    expect(place).to_have_text(f"1 of {count}")
    expect(photo.labels.get_by_role("button", name=f"{best} is present")).to_have_attribute("aria-pressed", "true")
    press("w", 2)
    assert "withdrawn" in (walk.ann.verdict(key, best), walk.ann.verdict(key, "heather"))
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_text("Label: heather")).not_to_have_count(0)
    page.keyboard.press("Escape")


def near(box, **wanted):
    return all(abs(box[name] - value) < 0.02 for name, value in wanted.items())


@step("3 photo: boxes drawn, moved and resized by pointer and keyboard")
def boxes(walk):
    photo, key = open_first(walk, "pin:\"North slope\"")
    page = walk.page
    picture = photo.view.locator(".picture").bounding_box()

    def at(x, y):
        return picture["x"] + x * picture["width"], picture["y"] + y * picture["height"]

    def wait_for(**wanted):
        """Waits until the box on the screen has these fractions."""
        page.wait_for_function("""wanted => {
          const box = document.querySelector("cairn-boxes .box.mine");
          return box && Object.entries(wanted).every(([name, value]) =>
            Math.abs(parseFloat(box.style[name]) / 100 - value) < 0.02);
        }""", arg={{"x": "left", "y": "top"}.get(name, name): value for name, value in wanted.items()})

    def expect_saved(**wanted):
        found = [label["region"] for label in walk.ann.boxes(key)]
        assert len(found) == 1 and near(found[0], **wanted), f"{found} instead of {wanted}"

    def answered():
        return page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok)

    page.keyboard.press("b")
    expect(page.get_by_text("Drag to draw a box.")).to_be_visible()
    page.mouse.move(*at(0.2, 0.2))
    page.mouse.down()
    page.mouse.move(*at(0.5, 0.6), steps=5)
    page.mouse.up()
    dialog = page.get_by_role("dialog", name="What is in the box?")
    dialog.get_by_role("combobox").fill("oak")
    with answered():
        dialog.get_by_role("combobox").press("Enter")
    wait_for(x=0.2, y=0.2, width=0.3, height=0.4)
    expect_saved(x=0.2, y=0.2, width=0.3, height=0.4)
    walk.shot("box")
    with answered():
        page.mouse.move(*at(0.35, 0.4))
        page.mouse.down()
        page.mouse.move(*at(0.45, 0.45), steps=5)
        page.mouse.up()
    expect_saved(x=0.3, y=0.25, width=0.3, height=0.4)
    with answered():
        page.mouse.move(*at(0.6, 0.65))
        page.mouse.down()
        page.mouse.move(*at(0.7, 0.75), steps=5)
        page.mouse.up()
    expect_saved(x=0.3, y=0.25, width=0.4, height=0.5)
    box = photo.view.get_by_role("button", name=re.compile("^oak, your box"))
    box.focus()
    with answered():
        for _ in range(4):
            page.keyboard.press("ArrowRight")
    moved = 0.3 + 4 * 8 / picture["width"]
    expect_saved(x=moved, width=0.4)
    with answered():
        for _ in range(4):
            page.keyboard.press("Shift+ArrowLeft")
    expect_saved(x=moved, width=0.4 - 4 * 8 / picture["width"])
    page.keyboard.press("Enter")
    dialog.get_by_role("combobox").fill("elm")
    with answered():
        dialog.get_by_role("combobox").press("Enter")
    expect(photo.view.get_by_role("button", name=re.compile("^elm, your box"))).to_be_visible()
    assert [label["class"] for label in walk.ann.boxes(key)] == ["elm"]
    photo.view.get_by_role("button", name=re.compile("^elm, your box")).focus()
    with answered():
        page.keyboard.press("Delete")
    expect(photo.view.get_by_role("button", name=re.compile("your box"))).to_have_count(0)
    assert walk.ann.boxes(key) == []
    # Without a pointer: a box in the middle.
    page.keyboard.press("b")
    page.get_by_role("button", name="Draw a box in the center").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    dialog.get_by_role("combobox").fill("pine")
    with answered():
        dialog.get_by_role("combobox").press("Enter")
    expect(photo.view.get_by_role("button", name=re.compile("^pine, your box"))).to_be_visible()
    assert len(walk.ann.boxes(key)) == 1


@step("3 photo: outlines drawn and edited by pointer and keyboard")
def outlines(walk):
    photo, key = open_first(walk, "pin:Loch")
    page = walk.page
    picture = photo.view.locator(".picture").bounding_box()
    dialog = page.get_by_role("dialog", name="What does the outline enclose?")
    corner = photo.view.get_by_role("button", name=re.compile("^Corner "))
    # Playwright cannot send one to Debian's Firefox.
    has_double_click = walk.browser_name != "firefox"

    def at(x, y):
        return picture["x"] + x * picture["width"], picture["y"] + y * picture["height"]

    def answered():
        return page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok)

    def save_as(name):
        dialog.get_by_role("combobox").fill(name)
        with answered():
            dialog.get_by_role("combobox").press("Enter")
        expect(photo.view.get_by_role("button", name=re.compile(f"^{name}, your outline"))).to_be_focused()

    def expect_saved(*points):
        """Expects one outline of Ann with these corners, inside the box around them."""
        regions = [label["region"] for label in walk.ann.boxes(key)]
        assert len(regions) == 1, regions
        [[ring]] = regions[0]["polygons"]
        found = list(zip(ring[::2], ring[1::2], strict=True))
        assert len(found) == len(points) and all(
            abs(x - a) < 0.01 and abs(y - b) < 0.01
            for (x, y), (a, b) in zip(found, points, strict=True)), f"{found} instead of {points}"
        for axis, size, numbers in [("x", "width", ring[::2]), ("y", "height", ring[1::2])]:
            assert abs(regions[0][axis] - min(numbers)) < 1e-6
            assert abs(regions[0][size] - max(numbers) + min(numbers)) < 1e-6

    def drag(start, end):
        page.mouse.move(*at(*start))
        page.mouse.down()
        page.mouse.move(*at(*end), steps=5)
        page.mouse.up()

    # Escape cancels; Backspace removes the last corner; a double click closes.
    page.keyboard.press("o")
    expect(page.get_by_text("Click each corner; double-click to close the outline.")).to_be_visible()
    page.mouse.click(*at(0.3, 0.3))
    page.keyboard.press("Escape")
    expect(page.get_by_text("Click the corners")).to_have_count(0)
    page.keyboard.press("o")
    for point in [(0.3, 0.3), (0.6, 0.3), (0.9, 0.9)]:
        page.mouse.click(*at(*point))
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    refused = Grid(page).messages.locator(".toast", has_text="An outline needs at least three corners.")
    expect(refused).to_be_visible()
    # The message covers a part of the photo.
    refused.get_by_role("button", name="Close").click()
    expect(refused).to_be_hidden()
    page.mouse.click(*at(0.6, 0.7))
    page.mouse.move(*at(0.3, 0.7))
    walk.shot("outline-drawing")
    if has_double_click:
        double_click(page)
    else:
        page.mouse.click(*at(0.3, 0.7))
        page.mouse.click(*at(0.3, 0.3))
    save_as("oak")
    expect_saved((0.3, 0.3), (0.6, 0.3), (0.6, 0.7), (0.3, 0.7))
    walk.shot("outline")
    # By pointer: a corner is moved, a side gets a corner, the corner is removed, the whole is moved.
    with answered():
        drag((0.6, 0.3), (0.7, 0.2))
    expect_saved((0.3, 0.3), (0.7, 0.2), (0.6, 0.7), (0.3, 0.7))
    with answered():
        drag((0.45, 0.7), (0.45, 0.8))
    expect_saved((0.3, 0.3), (0.7, 0.2), (0.6, 0.7), (0.45, 0.8), (0.3, 0.7))
    expect(corner).to_be_focused()
    walk.shot("outline-edited")
    page.mouse.move(*at(0.45, 0.8))
    with answered():
        if has_double_click:
            double_click(page)
        else:
            page.keyboard.press("Delete")
    expect_saved((0.3, 0.3), (0.7, 0.2), (0.6, 0.7), (0.3, 0.7))
    photo.view.get_by_role("button", name=re.compile("^oak, your outline")).focus()
    with answered():
        drag((0.5, 0.45), (0.4, 0.55))
    expect_saved((0.2, 0.4), (0.6, 0.3), (0.5, 0.8), (0.2, 0.8))
    # The whole is resized by a handle and by keys, and moved by keys; undo takes each back.
    handle = photo.view.locator(".box.mine.selected .handle.se").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    with answered():
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 0.1 * picture["width"], y + 0.1 * picture["height"], steps=5)
        page.mouse.up()
    expect_saved((0.2, 0.42), (0.7, 0.3), (0.575, 0.9), (0.2, 0.9))
    narrow = 1 - 4 * 8 / picture["width"] / 0.5
    with answered():
        for _ in range(4):
            page.keyboard.press("Shift+ArrowLeft")
    expect_saved((0.2, 0.42), (0.2 + 0.5 * narrow, 0.3), (0.2 + 0.375 * narrow, 0.9), (0.2, 0.9))
    up = 4 * 8 / picture["height"]
    with answered():
        for _ in range(4):
            page.keyboard.press("ArrowUp")
    expect_saved((0.2, 0.42 - up), (0.2 + 0.5 * narrow, 0.3 - up), (0.2 + 0.375 * narrow, 0.9 - up), (0.2, 0.9 - up))
    for _ in range(3):
        with page.expect_response(lambda one: "/api/undo" in one.url and one.ok):
            page.keyboard.press("Control+z")
    expect_saved((0.2, 0.4), (0.6, 0.3), (0.5, 0.8), (0.2, 0.8))
    # By keyboard: from the outline to its corners.
    photo.view.get_by_role("button", name=re.compile("^oak, your outline")).focus()
    page.keyboard.press("Tab")
    expect(corner).to_be_focused()
    page.keyboard.press("Home")
    expect(corner).to_have_accessible_name(re.compile("^Corner 1 of 4,"))
    page.keyboard.press("PageUp")
    expect(corner).to_have_accessible_name(re.compile("^Corner 4 of 4,"))
    right = 0.2 + 4 * 8 / picture["width"]
    with answered():
        for _ in range(4):
            page.keyboard.press("ArrowRight")
    expect_saved((0.2, 0.4), (0.6, 0.3), (0.5, 0.8), (right, 0.8))
    expect(corner).to_be_focused()
    with answered():
        page.keyboard.press("Enter")
    expect_saved((0.2, 0.4), (0.6, 0.3), (0.5, 0.8), (right, 0.8), ((0.2 + right) / 2, 0.6))
    expect(corner).to_have_accessible_name(re.compile("^Corner 5 of 5,"))
    with answered():
        page.keyboard.press("Delete")
    expect_saved((0.2, 0.4), (0.6, 0.3), (0.5, 0.8), (right, 0.8))
    walk.shot("outline-corner")
    walk.tab.check_accessibility("outline")
    # Undo gives the corner back; then the outline is removed.
    with page.expect_response(lambda one: "/api/undo" in one.url and one.ok):
        page.keyboard.press("Control+z")
    expect_saved((0.2, 0.4), (0.6, 0.3), (0.5, 0.8), (right, 0.8), ((0.2 + right) / 2, 0.6))
    photo.view.get_by_role("button", name=re.compile("^oak, your outline")).focus()
    with answered():
        page.keyboard.press("Delete")
    expect(photo.view.get_by_role("button", name=re.compile("your outline"))).to_have_count(0)
    assert walk.ann.boxes(key) == []
    # A new outline without a pointer.
    page.keyboard.press("o")
    for keys in [[], ["ArrowRight"] * 6, ["ArrowDown"] * 6]:
        for name in keys:
            page.keyboard.press(name)
        page.keyboard.press("Space")
    page.keyboard.press("Enter")
    save_as("elm")
    assert [label["class"] for label in walk.ann.boxes(key)] == ["elm"]


def double_click(page):
    """Clicks twice where the pointer is."""
    for count in [1, 2]:
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
