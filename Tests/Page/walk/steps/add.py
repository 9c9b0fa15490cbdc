"""Point 8: adding photos."""

import re

from playwright.sync_api import expect

import photos
from grid_page import Grid
from walk import step


@step("8 add: files at a pin, with progress and duplicates")
def files(walk):
    page = walk.page
    folder = walk.workspace.root / "new"
    new = make(folder, 900, 3)
    (folder / "broken.jpg").write_bytes(b"\xFF\xD8\xFF\xE0 this is no photo")
    (folder / "notes.txt").write_text("not a photo")
    known = walk.workspace.root / "camera/oak-000.jpg"
    harbor, total = walk.ann.count("pin:Harbor"), walk.ann.count()
    pin = next(one["id"] for one in walk.ann.json("pin", "list") if one["name"] == "Harbor")
    walk.tab.go(f"add?pin={pin}")
    expect(page.get_by_role("combobox", name="Location")).to_have_value(pin)
    # While the server gets none of the files, the page says how many there are.
    path, held = "**/api/uploads?*", []
    page.route(path, lambda route: held.append(route))
    with page.expect_request(path):
        page.get_by_label("Choose photos").and_(page.locator("input")).set_input_files(
            [*new, known, folder / "broken.jpg", folder / "notes.txt"])
    progress = page.get_by_role("progressbar", name="Progress", exact=True)
    expect(progress).to_be_visible()
    expect(progress).to_have_attribute("max", "5")
    expect(page.locator("cairn-add")).to_contain_text("5 files to go")
    while held:
        held.pop().continue_()
    page.unroute(path)
    expect(page.locator("cairn-add")).to_contain_text("Finished · 3 added · 1 already here · 1 failed")
    page.wait_for_function("() => document.querySelector('.add-status progress').value === 5")
    expect(page.get_by_role("heading", name=re.compile("Not added"))).to_be_visible()
    expect(page.locator("cairn-add")).to_contain_text("1 file is not a photo and was left out.")
    walk.shot("add")
    assert walk.ann.count("pin:Harbor") == harbor + 3
    assert walk.ann.count() == total + 3
    page.get_by_role("button", name="Show the added photos").click()
    expect(page.locator(".query-count")).to_have_text("3 photos")


@step("8 add: a folder, and dropped files")
def folder(walk):
    page = walk.page
    found = make(walk.workspace.root / "folder", 920, 4)
    total, pinned = walk.ann.count(), walk.ann.count("has:pin")
    walk.tab.go("add")
    page.get_by_role("button", name="Clear the list").click()
    page.get_by_role("combobox", name="Location").select_option(label="From the photo; assign it to the nearest pin")
    # Playwright cannot choose a folder in Debian's Firefox.
    label, chosen = (
        ("Choose photos", found) if walk.browser_name == "firefox"
        else ("Choose a folder", walk.workspace.root / "folder"))
    page.get_by_label(label).and_(page.locator("input")).set_input_files(chosen)
    expect(page.locator("cairn-add")).to_contain_text(re.compile(r"Finished .* 4 added"))
    assert walk.ann.count() == total + 4
    dropped = make(walk.workspace.root / "dropped", 940, 1)[0]
    walk.tab.go("grid")
    expect(Grid(page).cell(1)).to_be_visible()
    drop(page, dropped)
    expect(page.locator("cairn-add")).to_contain_text(re.compile(r"Finished .* 5 added"))
    assert walk.ann.count() == total + 5
    # Position from EXIF: each is at the pin that is nearest to it.
    assert walk.ann.count("has:pin") == pinned + 5
    walk.shot("dropped")


@step("8 add: files dropped on the map are added at the open pin")
def dropped_on_pin(walk):
    page = walk.page
    file = make(walk.workspace.root / "dropped-on-pin", 960, 1)[0]
    harbor = walk.ann.count("pin:Harbor")
    pin = next(one["id"] for one in walk.ann.json("pin", "list") if one["name"] == "Harbor")
    walk.tab.go(f"map?pin={pin}")
    expect(page.get_by_role("complementary", name="Details").get_by_role("heading", level=2)).to_have_text("Harbor")
    with page.expect_response(lambda one: "/api/uploads" in one.url and one.ok) as sent:
        drop(page, file)
    assert f"pin={pin}" in sent.value.url, sent.value.url
    expect(page.get_by_role("combobox", name="Location")).to_have_value(pin)
    assert walk.ann.count("pin:Harbor") == harbor + 1
    # The pin was for this visit only.
    walk.tab.go("grid")
    expect(Grid(page).cell(1)).to_be_visible()
    page.get_by_role("link", name="Add").click()
    expect(page.get_by_role("combobox", name="Location")).to_have_value("")


@step("8 add: the added photos have a name, stay after a reload, and are on the map")
def added(walk):
    page, grid = walk.page, Grid(walk.page)
    file = make(walk.workspace.root / "added", 980, 1)[0]
    walk.tab.go("grid")
    grid.search("label:oak")
    oaks = walk.ann.count("label:oak")
    grid.expect_count(oaks)
    walk.tab.go("add")
    page.get_by_label("Choose photos").and_(page.locator("input")).set_input_files(file)
    page.get_by_role("button", name="Show the added photos").click()
    chip = page.get_by_role("button", name=re.compile(r"\d+ added photos?"))
    expect(chip).to_be_visible()
    count = int(re.match(r"\d+", chip.inner_text())[0])
    grid.expect_count(count)
    expect(page.get_by_role("combobox", name="Sort", exact=True)).to_be_disabled()
    walk.shot("added-photos")
    walk.tab.check_accessibility("added photos")
    page.reload()
    expect(chip).to_be_visible()
    grid.expect_count(count)
    page.get_by_role("link", name="Map").click()
    expect(page.locator(".map-total")).to_have_text(re.compile("photos? here"))
    page.keyboard.press("0")
    expect(page.locator(".map-total")).to_have_text(re.compile(f"^{count} photos? here"))
    # The server keeps 16 sets: the page creates this one again.
    page.evaluate("""async () => {
      for (let made = 0; made < 17; made += 1) {
        await fetch("/api/sets", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
      }
    }""")
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("link", name="Grid").click()
    page.reload()
    grid.expect_count(count)
    expect(grid.cell(1)).to_be_visible()
    chip.click()
    expect(chip).to_be_hidden()
    grid.expect_count(oaks)
    expect(grid.query).to_have_value("label:oak")
    grid.search("")


def drop(page, file):
    """Drops a file on the page."""
    page.evaluate("""async ({ name, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(bytes)], name, { type: "image/jpeg" }));
      for (const type of ["dragenter", "dragover", "drop"]) {
        document.querySelector("main").dispatchEvent(new DragEvent(type, {
          bubbles: true, cancelable: true, dataTransfer: transfer,
        }));
      }
    }""", {"name": file.name, "bytes": list(file.read_bytes())})


def make(folder, seed, count):
    """Writes photos that were taken at the loch, and returns their paths."""
    folder.mkdir(parents=True)
    _, latitude, longitude = photos.PINS[2]
    paths = []
    for number in range(count):
        path = folder / f"new-{seed + number}.jpg"
        exif = photos.exif(latitude, longitude, "2026:06:01 12:00:00")
        photos.landscape("pine", seed + number).save(path, quality=86, exif=exif)
        paths.append(path)
    return paths
