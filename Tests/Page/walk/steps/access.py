"""Point 11: themes, sizes, languages, and accessibility."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from grid_page import Grid
from walk import step

VIEWS = ["grid", "review", "map", "table", "similarity", "models", "models?tab=train", "models?tab=evaluate",
         "models?tab=agreement", "add", "sync", "people"]


def views(walk):
    """Returns the addresses of all views, with a photo."""
    return [*VIEWS, f"photo/{walk.ann.find('label:oak')[0]}"]


def shot_name(view):
    return re.sub(r"\W+", "-", view.split("/")[0])


def ready(page, view):
    """Waits until a view shows what it has read."""
    marks = {
        "grid": "cairn-grid .cell:not([hidden]) img:not([hidden])", "review": "cairn-review .picture canvas",
        "table": "cairn-table .table-body .column-class:not(:empty)", "people": "cairn-people li",
        "photo": "cairn-photo .class-row",
        "models": "cairn-models table", "models?tab=train": "cairn-models #models-train h2",
        "models?tab=evaluate": "cairn-models svg",
        "models?tab=agreement": "cairn-models #models-agreement table",
        "sync": "cairn-sync h2", "add": "cairn-add h2"}
    name = re.match(r"\w+", view)[0]
    if view == "map":
        expect(page.locator(".map-total")).to_have_text(re.compile(r"\d"))
    elif view == "similarity":
        arrange(page)
    else:
        expect(page.locator(marks[name if name == "photo" else view]).first).to_be_visible()
    expect(page.locator(f"cairn-{name}")).to_be_visible()


def arrange(page):
    """Waits for the map of similar photos; the first time, it has the photos arranged."""
    total, button = page.locator(".similarity-total"), page.locator(".similarity-empty:not([hidden]) button.primary")
    expect(page.locator(".similarity-total:not(:empty)").or_(button)).to_be_visible()
    if button.is_visible():
        button.click()
    expect(total).to_have_text(re.compile(r"\d"), timeout=LONG_TIMEOUT)


@step("11 access: axe finds nothing on any view, light and dark", tags=("chromium",))
def axe(walk):
    page, found = walk.page, []
    for theme in ["Light", "Dark"]:
        choose_theme(page, theme)
        for view in views(walk):
            walk.tab.go(view)
            ready(page, view)
            walk.shot(f"{theme.lower()}-{shot_name(view)}")
            found += check(walk.tab, f"{theme} {view}")
        walk.tab.go("grid")
        ready(page, "grid")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        walk.shot(f"{theme.lower()}-help")
        found += check(walk.tab, f"{theme} help")
        page.keyboard.press("Escape")
        Grid(page).focus(1)
        page.keyboard.press("c")
        expect(page.get_by_role("dialog", name="Label with which class?")).to_be_visible()
        found += check(walk.tab, f"{theme} class")
        page.keyboard.press("Escape")
    choose_theme(page, "Same as system")
    assert not found, "\n".join(found)


def check(tab, view):
    try:
        tab.check_accessibility(view)
    except AssertionError as error:
        return str(error).split("\n")
    return []


def choose_theme(page, name):
    page.get_by_label("Menu").first.click()
    page.get_by_role("combobox", name="Colors").select_option(label=name)
    page.keyboard.press("Escape")


@step("11 access: phone and 4K, without scrolling sideways", tags=("chromium",))
def sizes(walk):
    found = []
    for name, width, height, scale in [("phone", 390, 844, 2), ("4k", 3840, 2160, 1)]:
        link = walk.tab.context.cookies()
        tab = Tab(walk.browser, walk.server, viewport={"width": width, "height": height},
                  device_scale_factor=scale, has_touch=name == "phone", reduced_motion="reduce")
        tab.context.add_cookies(link)
        tab.open(f"http://127.0.0.1:{walk.server.port}/#/grid")
        try:
            if name == "phone":
                taps(walk, tab)
            for view in views(walk):
                tab.go(view)
                ready(tab.page, view)
                wide = tab.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert wide <= 0, f"{view} on {name}: {wide} px too wide"
                walk.shot(f"{name}-{shot_name(view)}", tab.page)
                found += check(tab, f"{name} {view}")
            problems = tab.take_problems()
            assert not problems, problems
        finally:
            tab.close()
    assert not found, "\n".join(found)


def taps(walk, tab):
    """On a touch screen, a tap opens a photo."""
    grid = Grid(tab.page)
    name = grid.name(2)
    grid.cell(2).tap()
    expect(tab.page.locator("cairn-photo").get_by_role("heading", name=name)).to_be_visible()
    walk.shot("phone-photo", tab.page)


@step("11 access: every view by keyboard, and single keys can be turned off")
def keyboard(walk):
    page = walk.page
    walk.tab.go("grid")
    ready(page, "grid")
    # Earlier steps may have left the focus on a button outside the views, where it stays.
    Grid(page).focus(1)
    for key, view in [("r", "review"), ("m", "map"), ("t", "table"), ("i", "similarity"), ("o", "models"),
                      ("a", "add"), ("s", "sync"), ("p", "people"), ("g", "grid")]:
        page.keyboard.press("g")
        page.keyboard.press(key)
        ready(page, view)
        # Tab goes on in the view.
        page.wait_for_function("() => document.querySelector('main').contains(document.activeElement)")
    # The first that Tab reaches in the page skips the views.
    skip = page.get_by_role("link", name="Skip to the content")
    assert page.evaluate("document.querySelector('a, button, input').textContent") == skip.inner_text()
    skip.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('main').contains(document.activeElement)")
    Grid(page).focus(1)
    page.keyboard.press("Enter")
    expect(page.locator("cairn-photo .panel-buttons")).to_be_visible()
    page.keyboard.press("Escape")
    ready(page, "grid")
    # WCAG 2.1.4: keys without Ctrl can be turned off.
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    # It lists the keys of all views that were opened.
    for view in ["Everywhere", "Grid", "Photo", "Review", "Map", "Table", "Similarity map"]:
        expect(keys.get_by_role("heading", name=view, exact=True)).to_be_visible()
    keys.get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.press("F1")
    expect(page.get_by_role("dialog")).to_have_accessible_name("Keyboard shortcuts")
    keys.get_by_role("checkbox", name="Use single-key shortcuts").check()
    page.keyboard.press("Escape")


@step("11 access: German")
def german(walk):
    page = walk.page
    # Another language loads the page again, which ends what is being read.
    settle(walk)
    page.get_by_label("Menu").first.click()
    page.get_by_role("combobox", name="Language").select_option(label="Deutsch")
    expect(page.get_by_role("link", name="Karte")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    for view in views(walk):
        walk.tab.go(view)
        ready(page, view)
        missing = page.evaluate(
            r"() => document.body.innerText.match(/\b[a-z]+(-[a-z]+)?\.[a-z][A-Za-z]+(\.[a-z]+)?\b/g) ?? []")
        keys = [text for text in missing if not text.endswith((".jpg", ".jpeg", ".png", ".org", ".git"))]
        assert not keys, f"{view}: texts without a translation: {keys[:5]}"
    settle(walk)
    walk.shot("german")
    page.get_by_label("Menü").first.click()
    page.get_by_role("combobox", name="Sprache").select_option(label="English")
    expect(page.get_by_role("link", name="Map")).to_be_visible()


def settle(walk):
    """Shows the grid with all its pictures."""
    walk.tab.go("grid")
    ready(walk.page, "grid")
    walk.page.wait_for_function("""() => [...document.querySelectorAll("cairn-grid .cell:not([hidden]) img")]
      .every((image) => !image.hidden && image.complete && image.naturalWidth > 0)""")
