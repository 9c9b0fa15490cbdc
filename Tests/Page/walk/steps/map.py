"""Point 5: the map."""

import contextlib
import re
import sqlite3

from PIL import Image
from playwright.sync_api import expect

import photos
from browser import Tab
from grid_page import Grid
from steps.grid import ids
from steps.photo import Photo
from walk import step

# The coordinate of the first pin, for the address of the map.
HARBOR = f"{photos.PINS[0][1]},{photos.PINS[0][2]}"


class Map:
    def __init__(self, page):
        self.page = page
        self.canvas = page.get_by_role("application", name="Map of photos and pins")
        self.panel = page.get_by_role("complementary", name="Details")
        self.title = self.panel.get_by_role("heading", level=2)
        self.photos = self.panel.get_by_role("listbox", name="Photos here")
        self.total = page.locator(".map-total")

    def middle(self):
        box = self.canvas.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    @contextlib.contextmanager
    def read(self):
        """Waits until photos and pins in view are read and drawn."""
        with self.page.expect_response(lambda one: "/api/map?" in one.url and one.ok):
            yield
        expect(self.total).to_have_text(re.compile(r"^[\d,]+ photos? here"))
        self.page.wait_for_function("""() => new Promise((done) =>
          requestAnimationFrame(() => requestAnimationFrame(() => done(true))))""")

    def drop_pin(self, x, y):
        """Adds a pin with the mouse."""
        self.page.get_by_role("button", name="Add a pin").click()
        self.page.mouse.click(x, y)
        expect(self.title).to_have_text("Pin without a name")


def pins(walk):
    return {pin["name"]: pin for pin in walk.ann.json("pin", "list")}


def show(walk, location):
    """Opens the map at a location and zoom."""
    view = Map(walk.page)
    with view.read():
        walk.tab.go(f"map?at={location}")
    return view


@step("5 map: base map, clusters and one query with the grid")
def looks(walk):
    grid, view = Grid(walk.page), Map(walk.page)
    walk.tab.go("grid")
    grid.search("")
    grid.expect_count(walk.ann.count())
    with view.read():
        walk.page.get_by_role("link", name="Map").click()
    expect(view.total).to_have_text(f"{walk.ann.count('has:location')} photos here")
    walk.shot("map")
    # The base map comes from the program: 1:50m has some 100,000 points.
    assert len(walk.server.bytes("GET", "/api/map/base")) > 100_000
    grid.search("label:oak")
    expect(view.total).to_have_text(f"{walk.ann.count('label:oak has:location')} photos here")
    walk.page.get_by_role("link", name="Grid").click()
    grid.expect_count(walk.ann.count("label:oak"))
    grid.search("")
    show(walk, "54,-4,4")
    walk.shot("map-world")


@step("5 map: a pin is opened, dropped, named, moved and removed")
def pin(walk):
    page, view = walk.page, show(walk, f"{HARBOR},13")
    x, y = view.middle()
    page.mouse.click(x, y)
    expect(view.title).to_have_text("Harbor")
    count = walk.ann.count("pin:Harbor")
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count} photos")
    expect(view.photos.get_by_role("option").first).to_be_visible()
    walk.shot("pin")
    page.keyboard.press("Escape")
    view.drop_pin(x - 200, y + 120)
    new = next(pin for name, pin in pins(walk).items() if name == "")
    assert new["latitude"] < photos.PINS[0][1] and new["longitude"] < photos.PINS[0][2], new
    view.panel.get_by_role("button", name="Rename").click()
    name = page.get_by_role("dialog", name="Name of the pin").get_by_role("textbox")
    name.fill("Old pier")
    name.press("Enter")
    expect(view.title).to_have_text("Old pier")
    assert pins(walk)["Old pier"]["id"] == new["id"]
    show(walk, f"{new['latitude']},{new['longitude']},13")
    expect(view.title).to_have_text("Old pier")
    x, y = view.middle()
    with page.expect_response(lambda one: one.request.method == "PATCH" and one.ok):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 90, y - 60, steps=6)
        page.mouse.up()
    moved = pins(walk)["Old pier"]
    assert moved["longitude"] > new["longitude"] and moved["latitude"] > new["latitude"], moved
    page.keyboard.press("u")
    expect(Grid(page).messages).to_contain_text("Undone")
    assert pins(walk)["Old pier"]["longitude"] == new["longitude"]
    view.panel.get_by_role("button", name="Remove", exact=True).click()
    expect(view.panel).to_be_hidden()
    assert "Old pier" not in pins(walk)
    # Without a pointer: Enter puts a pin into the middle.
    view.canvas.focus()
    page.keyboard.press("n")
    expect(page.get_by_text("Where should the pin go?")).to_be_visible()
    page.keyboard.press("Enter")
    expect(view.title).to_have_text("Pin without a name")
    assert "" in pins(walk)
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('.toast')")
    expect(Grid(page).messages).to_contain_text("Undone")
    assert "" not in pins(walk)
    page.keyboard.press("Escape")


@step("5 map: keys go through what is in view, list, rename, move and remove a pin, and open its fetching")
def keys(walk):
    page, view = walk.page, show(walk, "58.6,-7.5,9")
    # Far from all others.
    view.canvas.focus()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(view.title).to_have_text("Pin without a name")
    page.keyboard.press("e")
    name = page.get_by_role("dialog", name="Name of the pin").get_by_role("textbox")
    name.fill("Skerry")
    name.press("Enter")
    expect(view.title).to_have_text("Skerry")
    before = pins(walk)["Skerry"]
    show(walk, f"{before['latitude']},{before['longitude']},9")
    page.keyboard.press("m")
    expect(page.get_by_text("Where should Skerry go?")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    with page.expect_response(lambda one: one.request.method == "PATCH" and one.ok):
        page.keyboard.press("Enter")
    moved = pins(walk)["Skerry"]
    assert moved["longitude"] > before["longitude"] and moved["latitude"] > before["latitude"], moved
    form = view.panel.get_by_role("button", name="Fetch photos")
    page.keyboard.press("f")
    expect(form).to_be_visible()
    page.keyboard.press("x")
    expect(view.title).to_have_text("Photos in this area")
    page.keyboard.press("Escape")
    expect(view.panel).to_be_hidden()
    # The list finds a pin, and the map goes there.
    page.keyboard.press("l")
    field = view.panel.get_by_role("searchbox", name="Find a pin")
    expect(field).to_be_focused()
    field.fill("Skerry")
    expect(view.panel.get_by_role("button", name=re.compile("^Skerry"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(view.panel).to_be_hidden()
    # Two pins, one after the other.
    view = show(walk, f"{(photos.PINS[0][1] + photos.PINS[2][1]) / 2},{(photos.PINS[0][2] + photos.PINS[2][2]) / 2},9")
    view.canvas.focus()
    focused = "() => document.querySelector('cairn-map').surface.focus"
    page.keyboard.press("j")
    first = page.evaluate(focused)
    page.keyboard.press("j")
    second = page.evaluate(focused)
    assert first and second and first != second, (first, second)
    page.keyboard.press("k")
    assert page.evaluate(focused) == first
    show(walk, f"{moved['latitude']},{moved['longitude']},12")
    view.canvas.focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(view.title).to_have_text("Skerry")
    view.canvas.focus()
    page.keyboard.press("Delete")
    expect(view.panel).to_be_hidden()
    assert "Skerry" not in pins(walk)


@step("5 map: a cluster is enlarged, an area is opened, and Delete removes a pin")
def areas(walk):
    page, view, grid = walk.page, show(walk, "56.8065,-5.0575,6"), Grid(walk.page)
    before = camera(page)["zoom"]
    with view.read():
        page.mouse.click(*view.middle())
    assert camera(page)["zoom"] >= before + 1
    expect(view.panel).to_be_hidden()
    view = show(walk, f"{HARBOR},13")
    x, y = view.middle()
    page.keyboard.down("Shift")
    page.mouse.move(x - 150, y - 150)
    page.mouse.down()
    page.mouse.move(x + 150, y + 150, steps=5)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(view.title).to_have_text("Photos in this area")
    count = walk.ann.count("pin:Harbor")
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count} photos")
    view.panel.get_by_role("button", name="Select all").click()
    expect(view.panel.get_by_text(f"{count} selected")).to_be_visible()
    walk.shot("map-area")
    view.panel.get_by_role("button", name="Clear the selection").click()
    page.keyboard.press("Escape")
    expect(view.panel).to_be_hidden()
    view.drop_pin(x + 150, y + 100)
    view.canvas.focus()
    page.keyboard.press("Delete")
    expect(view.panel).to_be_hidden()
    assert "" not in pins(walk)
    # A pin with photos is removed after a question only; its photos stay.
    page.mouse.click(x, y)
    expect(view.title).to_have_text("Harbor")
    view.canvas.focus()
    page.keyboard.press("Delete")
    question = page.get_by_role("dialog", name="Remove the pin Harbor?")
    question.get_by_role("button", name="Remove").click()
    expect(view.panel).to_be_hidden()
    assert "Harbor" not in pins(walk)
    with page.expect_response(lambda one: "/api/undo" in one.url and one.ok):
        page.keyboard.press("u")
    assert walk.ann.count("pin:Harbor") == count


@step("5 map: the map and the grid have one selection")
def selection(walk):
    page, view, grid = walk.page, show(walk, f"{HARBOR},13"), Grid(walk.page)
    page.mouse.click(*view.middle())
    expect(view.title).to_have_text("Harbor")
    view.photos.get_by_role("option").nth(0).click(modifiers=["Control"])
    view.photos.get_by_role("option").nth(1).click(modifiers=["Control"])
    expect(view.panel.get_by_text("2 selected")).to_be_visible()
    walk.shot("map-selection")
    page.get_by_role("link", name="Grid").click()
    grid.expect_selected(2)
    grid.list.focus()
    page.keyboard.press("Escape")
    expect(grid.bar).not_to_contain_text("selected")


def open_harbor(walk, query=""):
    """Opens the pin of the harbor on the map."""
    view = show(walk, f"{HARBOR},13&q={query}")
    if not view.title.is_visible() or view.title.inner_text() != "Harbor":
        walk.page.mouse.click(*view.middle())
    expect(view.title).to_have_text("Harbor")
    return view


@step("5 map: a photo beside the map steps through those of the pin, and Back returns to the pin")
def photo_of_pin(walk):
    page, photo = walk.page, Photo(walk.page)
    view = open_harbor(walk, "label:heather")
    view.panel.get_by_role("checkbox", name=re.compile("^Only photos that match")).uncheck()
    count = walk.ann.count("pin:Harbor")
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count} photos")
    place = photo.view.locator(".photo-place")
    view.photos.locator("[aria-posinset='2']").click()
    expect(place).to_have_text(f"2 of {count}")
    page.keyboard.press("n")
    expect(place).to_have_text(f"3 of {count}")
    photo.expect_decoded()
    expect(photo.labels.locator(".class-row").first).to_be_visible()
    page.reload()
    expect(place).to_have_text(f"3 of {count}")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"#/map.*pin="))
    expect(view.title).to_have_text("Harbor")
    expect(view.photos.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(view.panel).to_be_hidden()


@step("5 map: the open pin follows the query and labels")
def refreshes(walk):
    page, grid, view = walk.page, Grid(walk.page), open_harbor(walk)
    shown = view.panel.locator(".pin-count")
    grid.search("label:heather")
    walk.ann.cairn("label", walk.ann.find("pin:Harbor -label:heather")[0], "heather", "--quiet")
    count = walk.ann.count("pin:Harbor label:heather")
    expect(shown).to_have_text(f"{count} photo" + ("" if count == 1 else "s"))
    expect(view.panel.get_by_text("Only photos that match label:heather")).to_be_visible()
    walk.ann.cairn("label", walk.ann.find("pin:Harbor -label:heather")[0], "heather", "--quiet")
    expect(shown).to_have_text(f"{count + 1} photos")
    grid.search("")
    expect(shown).to_have_text(f"{walk.ann.count('pin:Harbor')} photos")
    expect(view.panel.get_by_text("Only photos that match")).to_be_hidden()
    page.keyboard.press("Escape")


@step("5 map: the panel acts on the selected photos that are in it")
def acts_here(walk):
    page, grid = walk.page, Grid(walk.page)
    walk.tab.go("grid")
    grid.search("")
    total, count = walk.ann.count(), walk.ann.count("pin:Harbor")
    grid.expect_count(total)
    harbor = set(walk.ann.find("pin:Harbor"))
    names = {photo: name for name, photo in ids(walk).items()}
    away = [names[photo] for photo in walk.ann.find("-pin:Harbor")]
    elsewhere = [number for number in range(1, 30) if grid.name(number) in away][:2]
    for number in elsewhere:
        grid.cell(number).click(modifiers=["Control"])
    grid.expect_selected(2)
    view = open_harbor(walk)
    expect(view.panel.get_by_text("0 of 2 selected photos are here")).to_be_visible()
    expect(view.panel.get_by_role("button", name="Label…")).to_have_count(0)
    view.photos.locator("[aria-posinset='1']").click(modifiers=["Control"])
    expect(view.panel.get_by_text("1 of 3 selected photos are here")).to_be_visible()
    walk.shot("map-selected-here")
    view.panel.locator(".pin-chosen").get_by_role("button", name="Remove").click()
    expect(grid.messages).to_contain_text("1 photo removed.")
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count - 1} photos")
    assert walk.ann.count() == total - 1
    expect(view.panel.get_by_text("0 of 2 selected photos are here")).to_be_visible()
    grid.messages.get_by_role("button", name="Undo").last.click()
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count} photos")
    expect(view.photos.locator("[aria-posinset='1']:not([hidden])")).to_have_attribute("aria-setsize", str(count))
    # Delete is about the photo with the focus, not about the pin.
    view.photos.locator("[aria-posinset='1']").click(modifiers=["Control"])
    expect(view.panel.get_by_text("1 of 3 selected photos are here")).to_be_visible()
    view.photos.locator("[aria-posinset='1']").click(modifiers=["Control"])
    expect(view.panel.get_by_text("0 of 2 selected photos are here")).to_be_visible()
    expect(view.photos).to_be_focused()
    page.keyboard.press("Delete")
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count - 1} photos")
    assert "Harbor" in pins(walk)
    gone = harbor - set(walk.ann.find("pin:Harbor"))
    assert len(gone) == 1
    page.keyboard.press("u")
    expect(view.panel.locator(".pin-count")).to_have_text(f"{count} photos")
    # All that match, of which some are here.
    page.get_by_role("link", name="Grid").click()
    grid.focus(1)
    page.keyboard.press("Control+a")
    grid.expect_selected(total)
    view = open_harbor(walk)
    expect(view.panel.get_by_text(f"{count} of {total} selected photos are here")).to_be_visible()
    view.panel.get_by_role("button", name="Clear the selection").click()
    expect(view.panel.locator(".pin-chosen")).to_be_hidden()
    page.keyboard.press("Escape")


def camera(page):
    """Returns what the map shows."""
    return page.evaluate("""() => {
      const { x, y, zoom } = document.querySelector("cairn-map").surface.camera;
      return { x, y, zoom };
    }""")


@step("5 map: close-ups from an MBTiles file", tags=("chromium",))
def tiles(walk):
    file = walk.workspace.root / "tiles.mbtiles"
    make_tiles(file)
    server = walk.start(walk.bob, "--map", file)
    tab = Tab(walk.browser, server).open()
    try:
        expect(Grid(tab.page).cell(1)).to_be_visible()
        with tab.page.expect_response(lambda one: "/api/map/tiles/10/" in one.url and one.ok):
            tab.go(f"map?at={HARBOR},10")
        expect(tab.page.get_by_text("Test tiles")).to_be_visible()
        expect(Map(tab.page).total).to_have_text(re.compile(r"\d photos here"))
        walk.shot("map-tiles", tab.page)
        assert not tab.take_problems()
    finally:
        tab.close()
        server.stop()


def make_tiles(path):
    """Writes an MBTiles file (version 1.3) with one tile around the pins at zoom 8 to 10."""
    tile = path.with_suffix(".png")
    Image.new("RGB", (256, 256), (206, 222, 190)).save(tile)
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE metadata (name text, value text)")
        file.execute("CREATE TABLE tiles (zoom_level integer, tile_column integer,"
                     " tile_row integer, tile_data blob)")
        file.executemany("INSERT INTO metadata VALUES (?, ?)", [
            ("name", "Test"), ("format", "png"), ("minzoom", "8"), ("maxzoom", "10"),
            ("attribution", "Test tiles"), ("bounds", "-180,-85,180,85")])
        for zoom in (8, 9, 10):
            side = 1 << zoom
            x, y = int(side * (0.5 - 5.1 / 360)), int(side * 0.69)
            near = [(zoom, column, row, tile.read_bytes())
                    for column in range(x - 6, x + 7) for row in range(y - 12, y + 13)]
            file.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", near)
    file.close()
