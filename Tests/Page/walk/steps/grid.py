"""Point 2: the grid."""

import re

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from fingers import middle
from grid_page import Grid
from walk import step


def ids(walk):
    """Returns the ids of the photos by their names on the page: the title, or the name of the file."""
    photos = [entry["photo"] for entry in walk.ann.json("photo", "list")]
    return {photo["title"] or photo["source"]: photo["id"] for photo in photos}


@step("2 grid: all photos, sizes, orders and groups")
def looks(walk):
    grid = Grid(walk.page)
    walk.tab.go("grid")
    grid.expect_count(walk.ann.count())
    grid.expect_pictures(12)
    walk.shot("grid")
    wide = grid.cell(1).bounding_box()["width"]
    walk.page.get_by_role("slider", name="Size of the pictures").fill("240")
    expect(grid.cell(1)).to_be_visible()
    assert grid.cell(1).bounding_box()["width"] > wide
    walk.page.get_by_role("slider", name="Size of the pictures").fill("128")
    for label, option in [("taken", "Taken"), ("title", "Title"), ("id", "Id")]:
        grid.choose("Sort", option)
        first = walk.ann.json("photo", "list", "--sort", label, "--limit", "1")[0]["photo"]["source"]
        expect(grid.cell(1)).to_have_accessible_name(re.compile(f"^{re.escape(first)}"))
    for option, heading in [("By class", "oak"), ("By pin", "Harbor"), ("By day", r"May \d, 2026")]:
        grid.choose("Group", option)
        expect(walk.page.get_by_role("heading", name=re.compile(heading)).first).to_be_visible()
        grid.expect_pictures(10)
        walk.shot(f"grid-{option.lower().replace(' ', '-')}")
    grid.choose("Group", "No groups")
    grid.choose("Sort", "Taken")


@step("2 grid: queries with completion, history and errors")
def queries(walk):
    grid = Grid(walk.page)
    grid.expect_count(walk.ann.count())
    walk.page.keyboard.press("/")
    expect(grid.query).to_be_focused()
    grid.query.press_sequentially("label:o")
    options = walk.page.get_by_role("listbox", name="Completions")
    expect(options.get_by_role("option", name=re.compile("^oak"))).to_be_visible()
    walk.shot("completion")
    grid.query.press("ArrowDown")
    grid.query.press("Tab")
    expect(grid.query).to_have_value(re.compile(r"^label:oak\s*$"))
    grid.query.press("Enter")
    grid.expect_count(walk.ann.count("label:oak"))
    grid.search("state:predicted pin:Harbor")
    grid.expect_count(walk.ann.count("state:predicted pin:Harbor"))
    grid.search("labl:oak")
    expect(grid.query).to_have_attribute("aria-invalid", "true")
    expect(walk.page.locator("#query-error")).to_contain_text("label:")
    grid.query.fill("")
    expect(options.get_by_role("option", name=re.compile("state:predicted pin:Harbor"))).to_be_visible()
    grid.query.press("Enter")
    grid.expect_count(walk.ann.count())
    # A hostile query is text, in the field and in the error.
    grid.search('"><img src=x onerror=alert(1)>:')
    expect(walk.page.locator("#query-error")).to_be_visible()
    assert walk.page.locator("#query-error img").count() == 0
    grid.search("label:oak -label:oak")
    grid.expect_count(0)
    walk.page.get_by_text("No photos match.").locator("..").get_by_role("button", name="Show all photos").click()
    grid.expect_count(walk.ann.count())
    expect(grid.query).to_have_value("")


@step("2 grid: the list of keys shows each class its own key")
def keys(walk):
    walk.tab.go("grid")
    walk.page.get_by_role("button", name="Keys…").click()
    dialog = walk.page.get_by_role("dialog", name="Class keys")
    selects = dialog.get_by_role("combobox")
    first, second = [selects.nth(index).input_value() for index in (0, 1)]
    # The other class gets the key that is free now.
    selects.nth(0).select_option(second)
    expect(selects.nth(1)).to_have_value(first)
    selects.nth(0).select_option(first)
    expect(selects.nth(1)).to_have_value(second)
    dialog.get_by_role("button", name="Done").click()


@step("2 grid: selection by mouse and keyboard")
def selects(walk):
    grid = Grid(walk.page)
    grid.cell(2).click()
    grid.cell(4).click(modifiers=["Control"])
    grid.cell(7).click(modifiers=["Control"])
    grid.expect_selected(2)
    grid.cell(3).click()
    grid.cell(6).click(modifiers=["Shift"])
    grid.expect_selected(4)
    walk.shot("selection")
    walk.page.keyboard.press("Shift+ArrowRight")
    expect(grid.bar).to_contain_text(re.compile(r"\d+ selected"))
    walk.page.keyboard.press("Escape")
    expect(grid.bar).not_to_contain_text("selected")
    grid.focus(1)
    walk.page.keyboard.press("x")
    walk.page.keyboard.press("ArrowRight")
    walk.page.keyboard.press("x")
    grid.expect_selected(2)
    walk.page.keyboard.press("Escape")
    grid.focus(1)
    for _ in range(3):
        walk.page.keyboard.press("Shift+ArrowRight")
    grid.expect_selected(4)
    walk.page.keyboard.press("Control+a")
    grid.expect_selected(walk.ann.count())
    walk.page.keyboard.press("Escape")
    # The pointer is dragged over photos, and back over some of them.
    walk.page.mouse.move(*middle(grid.cell(2)))
    walk.page.mouse.down()
    walk.page.mouse.move(*middle(grid.cell(6)), steps=8)
    grid.expect_selected(5)
    walk.page.mouse.move(*middle(grid.cell(4)), steps=4)
    grid.expect_selected(3)
    walk.page.mouse.up()
    walk.page.mouse.move(*middle(grid.cell(6)), steps=4)
    grid.expect_selected(3)
    walk.page.keyboard.press("Escape")


@step("2 grid: keys label, accept, reject, favor and withdraw")
def labels(walk):
    grid, keyboard = Grid(walk.page), walk.page.keyboard
    names = ids(walk)
    grid.search("pin:Loch")
    grid.expect_count(walk.ann.count("pin:Loch"))
    first, second = grid.name(1), grid.name(2)
    grid.focus(1)
    keyboard.press(grid.key_of("oak"))
    expect(grid.of(first)).to_have_accessible_name(re.compile(r"oak \(confirmed\)"))
    # The focus went on to the next photo.
    expect(grid.cell(2)).to_have_class(re.compile("focused"))
    # A range begins there, too.
    keyboard.press("Shift+ArrowRight")
    grid.expect_selected(2)
    keyboard.press("Escape")
    keyboard.press("ArrowLeft")
    keyboard.press(f"Shift+Digit{grid.key_of('elm')}")
    expect(grid.of(second)).not_to_have_class(re.compile("pending"))
    expect_verdict(walk, names[first], "oak", "present")
    expect_verdict(walk, names[second], "elm", "absent")
    grid.focus(1)
    keyboard.press("f")
    expect(grid.of(first)).to_have_accessible_name(re.compile("favorite"))
    keyboard.press("w")
    expect(grid.of(first)).not_to_have_accessible_name(re.compile("oak"))
    expect_verdict(walk, names[first], "oak", "withdrawn")
    assert names[first] in walk.ann.find("is:favorite")
    keyboard.press("u")
    expect(grid.messages).to_contain_text("Undone")
    expect_verdict(walk, names[first], "oak", "present")
    grid.search("state:predicted -state:confirmed -state:disputed")
    count = walk.ann.count("state:predicted -state:confirmed -state:disputed")
    grid.expect_count(count)
    accepted, rejected = grid.name(1), grid.name(2)
    best = strongest(walk, names[accepted]), strongest(walk, names[rejected])
    grid.focus(1)
    keyboard.press("a")
    expect(grid.of(accepted)).to_have_accessible_name(re.compile(rf"{best[0]} \(confirmed\)"))
    grid.focus(2)
    keyboard.press("r")
    expect_verdict(walk, names[accepted], best[0], "present")
    expect_verdict(walk, names[rejected], best[1], "absent")
    # Photos that a person decided on are marked.
    expect(grid.of(accepted)).to_have_accessible_name(re.compile("reviewed"))
    # The list does not move while one labels.
    grid.expect_count(count)
    expect(grid.cell(1)).to_have_accessible_name(re.compile(f"^{re.escape(accepted)}"))
    walk.shot("labeled")


def expect_verdict(walk, photo, class_key, verdict):
    """An answer is on the disk before the page shows it as saved."""
    walk.page.wait_for_function("() => !document.querySelector('.pending:not([hidden])')")
    found = walk.ann.verdict(photo, class_key)
    assert found == verdict, f"{class_key} on {photo[:8]}: {found}, not {verdict}"


def strongest(walk, photo):
    """Returns the predicted class with the greatest confidence."""
    predicted = [one for one in walk.ann.show(photo)["resolution"] if one["state"] == "predicted"]
    return max(predicted, key=lambda one: one["confidence"])["class"]


@step("2 grid: accept and withdraw go on to the next photo, and Remove is a button")
def goes_on(walk):
    grid, page = Grid(walk.page), walk.page
    names = ids(walk)
    grid.search("pin:Harbor state:predicted -state:disputed")
    grid.expect_count(walk.ann.count("pin:Harbor state:predicted -state:disputed"))
    first = grid.name(1)
    best = strongest(walk, names[first])
    grid.focus(1)
    page.keyboard.press("a")
    expect(grid.cell(2)).to_have_class(re.compile("focused"))
    expect_verdict(walk, names[first], best, "present")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("w")
    expect(grid.cell(2)).to_have_class(re.compile("focused"))
    expect_verdict(walk, names[first], best, "withdrawn")
    total = walk.ann.count()
    grid.bar.get_by_role("button", name="Remove", exact=True).click()
    expect(grid.messages).to_contain_text("1 photo removed.")
    assert walk.ann.count() == total - 1
    grid.messages.get_by_role("button", name="Undo").last.click()
    expect(grid.messages).to_contain_text("Undone")
    assert walk.ann.count() == total
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_text("Label: oak")).not_to_have_count(0)
    walk.shot("keys")
    page.keyboard.press("Escape")


@step("2 grid: a new class is confirmed")
def new_class(walk):
    grid, page = Grid(walk.page), walk.page
    grid.search("pin:Loch")
    grid.expect_count(walk.ann.count("pin:Loch"))
    name = grid.name(3)
    grid.focus(3)
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Label with which class?")
    dialog.get_by_role("combobox").fill("Rowan")
    dialog.get_by_role("combobox").press("Enter")
    question = page.get_by_role("dialog", name=re.compile("Create the new class “Rowan”"))
    expect(question).to_be_visible()
    assert "rowan" not in walk.ann.cairn("class", "list")
    walk.shot("new-class")
    question.get_by_role("button", name="Create").click()
    expect(grid.of(name)).to_have_accessible_name(re.compile(r"Rowan \(confirmed\)"))
    expect_verdict(walk, ids(walk)[name], "rowan", "present")


@step("2 grid: a letter labels with the class that it is given, and typed names are completed")
def letters(walk):
    grid, page = Grid(walk.page), walk.page
    query = "pin:Harbor -label:heather"
    grid.search(query)
    grid.expect_count(walk.ann.count(query))
    photo, other = ids(walk)[grid.name(1)], ids(walk)[grid.name(2)]
    number = grid.key_of("heather")
    give_key(page, "heather", "d")
    assert grid.key_of("heather") == "d"
    grid.focus(1)
    with saved(page):
        page.keyboard.press("d")
    assert walk.ann.verdict(photo, "heather") == "present"
    with saved(page):
        page.keyboard.press("Shift+d")
    assert walk.ann.verdict(other, "heather") == "absent"
    for _ in range(2):
        with page.expect_response(lambda one: "/api/undo" in one.url and one.ok):
            page.keyboard.press("u")
    give_key(page, "heather", number)
    grid.focus(1)
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Label with which class?")
    dialog.get_by_role("combobox").press_sequentially("hea")
    expect(dialog.get_by_role("option")).to_have_text([re.compile("^heather")])
    page.keyboard.press("ArrowDown")
    with saved(page):
        page.keyboard.press("Enter")
    assert walk.ann.verdict(photo, "heather") == "present"
    with page.expect_response(lambda one: "/api/undo" in one.url and one.ok):
        page.keyboard.press("u")
    assert walk.ann.count(query) == int(grid.list.get_by_role("option").first.get_attribute("aria-setsize"))


def give_key(page, class_name, key):
    """Gives a key to a class."""
    page.get_by_role("button", name="Keys…").click()
    dialog = page.get_by_role("dialog", name="Class keys")
    dialog.get_by_role("combobox", name=f"Key for {class_name}").select_option(key)
    dialog.get_by_role("button", name="Done").click()
    expect(dialog).to_be_hidden()


def saved(page):
    """Waits until an edit is saved."""
    return page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok)


@step("2 grid: what another program labels appears by itself")
def others(walk):
    grid = Grid(walk.page)
    grid.search("label:heather")
    count = walk.ann.count("label:heather")
    grid.expect_count(count)
    photo = walk.ann.find("pin:Loch -label:heather")[0]
    walk.ann.cairn("label", photo, "heather", "--quiet")
    more = walk.page.get_by_role("button", name="1 more matches now")
    expect(more).to_be_visible()
    grid.expect_count(count)
    walk.shot("more")
    more.click()
    grid.expect_count(count + 1)
    grid.search("")


@step("2 grid: all that match, with preview and undo", tags=("chromium", "many"))
def all_that_match(walk):
    server = walk.start(walk.many)
    tab = Tab(walk.browser, server).open()
    try:
        grid, page = Grid(tab.page), tab.page
        count = walk.many.count()
        grid.expect_count(count)
        grid.expect_pictures(30)
        grid.focus(1)
        page.keyboard.press("Control+a")
        grid.expect_selected(count)
        page.keyboard.press("c")
        page.get_by_role("dialog", name="Label with which class?").get_by_role("combobox").fill("noise")
        page.keyboard.press("Enter")
        page.get_by_role("dialog", name=re.compile("Create")).get_by_role("button", name="Create").click()
        preview = page.get_by_role("dialog", name=re.compile(f"Label {count:,} photos with noise"))
        expect(preview).to_contain_text(f"{count:,} photos will change.")
        walk.shot("preview", page)
        assert walk.many.count("label:noise") == 0
        preview.get_by_role("button", name=f"Change {count:,}").click()
        undo = grid.messages.get_by_role("button", name="Undo")
        expect(undo).to_be_visible(timeout=LONG_TIMEOUT)
        assert walk.many.count("label:noise") == count
        expect(grid.cell(1)).to_have_accessible_name(re.compile(r"noise \(confirmed\)"))
        walk.shot("bulk", page)
        undo.click()
        expect(grid.cell(1)).not_to_have_accessible_name(re.compile("noise"), timeout=LONG_TIMEOUT)
        expect(grid.messages).to_contain_text("done", timeout=LONG_TIMEOUT)
        assert walk.many.count("label:noise") == 0
        assert not tab.take_problems()
    finally:
        tab.close()
        server.stop()
