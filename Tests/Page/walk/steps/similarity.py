"""Point 7: the map of similar photos."""

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from grid_page import Grid
import photos
from walk import step

COUNT = 30


@step("7 similarity: arrange the photos, select by rectangle and by key, show the selection in the grid")
def arranges(walk):
    folder = walk.workspace.root / "similar-in"
    photos.make(folder, COUNT)
    walk.workspace.run(walk.workspace.cairn, "init", "similar")
    dataset = walk.workspace.dataset("similar")
    dataset.cairn("photo", "add", folder, "--quiet")
    for name in photos.TREES:
        dataset.cairn("label", *sorted(folder.glob(f"{name}-*.jpg"))[:4], name, "--create", "--quiet")
    dataset.cairn("class", "set", "tree", *photos.TREES)
    server = walk.start(dataset)
    tab = Tab(walk.browser, server).open()
    try:
        page = tab.page
        tab.go("similarity")
        start = page.get_by_role("button", name="Arrange the photos")
        expect(start).to_be_visible()
        tab.check_accessibility("similarity, before the photos are arranged")
        start.click()
        total = page.locator(".similarity-total")
        expect(total).to_have_text(f"{COUNT} photos", timeout=LONG_TIMEOUT)
        legend = page.get_by_role("list", name="Classes")
        expect(legend.get_by_role("button")).to_have_count(len(photos.TREES))
        panel = page.get_by_role("complementary", name="Details")
        canvas = page.get_by_role("application", name="Map of similar photos")
        tab.check_accessibility("similarity")
        walk.shot("similarity", page)
        selects(page, panel, canvas)
        # One class only: four photos of it are labeled.
        legend.get_by_role("button").first.click()
        canvas.focus()
        page.keyboard.press("v")
        expect(panel).to_contain_text("4 photos selected")
        page.keyboard.press("j")
        expect(panel.locator(".similarity-photo button")).to_be_visible()
        page.keyboard.press("x")
        expect(panel).to_contain_text("3 photos selected")
        page.keyboard.press("s")
        Grid(page).expect_count(3)
        expect(page.get_by_role("button", name="3 similar photos")).to_be_visible()
        assert not tab.take_problems()
    finally:
        tab.close()
        server.stop()


def selects(page, panel, canvas):
    """Selects all photos by key and with the mouse."""
    canvas.focus()
    page.keyboard.press("v")
    expect(panel).to_contain_text(f"{COUNT} photos selected")
    page.keyboard.press("Escape")
    expect(panel).to_contain_text("No photos are selected.")
    rectangle = page.get_by_role("button", name="Select by drawing a rectangle")
    rectangle.click()
    expect(rectangle).to_have_attribute("aria-pressed", "true")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    # The tools are on top of the canvas at the right.
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2, steps=4)
    page.mouse.up()
    expect(panel).to_contain_text(f"{COUNT} photos selected")
    rectangle.click()
    expect(rectangle).to_have_attribute("aria-pressed", "false")
