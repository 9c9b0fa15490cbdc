"""Point 6: the table."""

import csv
import io
import re

from playwright.sync_api import expect

from grid_page import Grid
from walk import step


class Table:
    def __init__(self, page):
        self.page = page
        self.grid = page.get_by_role("grid", name="Labels")
        self.total = page.locator(".table-total")

    def row(self, number):
        """Returns a row, from 1."""
        return self.grid.locator(f'[aria-rowindex="{number + 1}"]')

    def cell(self, number, column):
        return self.row(number).locator(f".column-{column}")

    def scroll_to(self, text):
        """Returns a cell with a text, after turning the wheel until it is in the table: only cells near view are."""
        cells = self.grid.get_by_role("gridcell", name=re.compile(text))
        self.grid.hover()
        for _ in range(100):
            expect(self.grid.locator(".column-class").last).not_to_be_empty()
            if cells.count() > 0:
                return cells.first
            self.page.mouse.wheel(0, 200)
            self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        raise AssertionError(f"no cell with {text}")


def rows(walk, states=frozenset(["confirmed", "rejected", "predicted", "disputed"])):
    """Returns how many rows the table of the photos at the harbor has."""
    return sum(
        one["state"] in states for photo in walk.ann.find("pin:Harbor")
        for one in walk.ann.show(photo)["resolution"])


@step("6 table: sorting, filtering by a cell, accepting and CSV")
def table(walk):
    page, view = walk.page, Table(walk.page)
    walk.tab.go("grid")
    Grid(page).search("pin:Harbor")
    Grid(page).expect_count(walk.ann.count("pin:Harbor"))
    page.get_by_role("link", name="Table").click()
    expect(view.total).to_have_text(f"{rows(walk)} rows")
    expect(view.cell(1, "class")).not_to_be_empty()
    # Predictions and verdicts stand side by side.
    both = view.grid.get_by_role("row").filter(has=page.locator(".column-predictions", has_text="net@1")).filter(
        has=page.locator(".column-verdicts", has_text="Ann"))
    expect(both).not_to_have_count(0)
    walk.shot("table")
    header = view.grid.get_by_role("columnheader", name="Confidence")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", re.compile("ascending|descending"))
    order = header.get_attribute("aria-sort")
    header.get_by_role("button").click()
    expect(header).not_to_have_attribute("aria-sort", order)
    state = page.get_by_role("columnheader", name="State")
    state.get_by_role("button").click()
    expect(state).to_have_attribute("aria-sort", re.compile("ascending|descending"))
    predicted = rows(walk, {"predicted"})
    assert predicted > 0
    view.scroll_to("predicted").click()
    page.get_by_role("button", name="Only predicted").click()
    expect(view.total).to_have_text(f"{predicted} rows")
    walk.shot("table-filtered")
    if walk.browser_name == "chromium":
        walk.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy as CSV").click()
        expect(Grid(page).messages).to_contain_text(f"{predicted} rows copied as CSV.")
        text = page.evaluate("navigator.clipboard.readText()")
        copied = list(csv.DictReader(io.StringIO(text)))
        assert len(copied) == predicted, f"{len(copied)} rows, not {predicted}"
        assert all("predicted" in row.values() for row in copied), copied[:2]
        page.evaluate("navigator.clipboard.writeText('')")
        view.cell(1, "class").click()
        page.keyboard.press("c")
        page.wait_for_function("async text => await navigator.clipboard.readText() === text", arg=text)
    name = view.cell(1, "class").inner_text().strip()
    view.cell(1, "class").click()
    with page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok) as answer:
        page.keyboard.press("a")
    photo = answer.value.json()["photos"][0]["id"]
    assert walk.ann.verdict(photo, name) == "present"
    # The next row has the focus.
    page.keyboard.press("ArrowUp")
    with page.expect_response(lambda one: one.url.endswith("/api/edits") and one.ok):
        page.keyboard.press("w")
    assert walk.ann.verdict(photo, name) == "withdrawn"
    # A photo of the table steps through its rows, and Escape returns to the filtered table.
    view.cell(2, "class").click()
    page.keyboard.press("Enter")
    opened = page.locator("cairn-photo .photo-name")
    expect(opened).to_have_text(re.compile(r"\w"))
    before = opened.inner_text()
    page.keyboard.press("n")
    expect(opened).not_to_have_text(before)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("#/table.*state=predicted"))
    expect(view.total).to_have_text(f"{predicted} rows")
    page.get_by_role("button", name=re.compile("Remove the filter")).click()
    expect(view.total).to_have_text(f"{rows(walk)} rows")
    # By key: the order of the cell's column and back, its filter, and no filter.
    view.scroll_to("predicted").click()
    order = state.get_attribute("aria-sort")
    page.keyboard.press("o")
    expect(state).to_have_attribute("aria-sort", re.compile("ascending" if order == "descending" else "descending"))
    view.scroll_to("predicted").click()
    page.keyboard.press("f")
    expect(view.total).to_have_text(f"{rows(walk, {'predicted'})} rows")
    page.keyboard.press("Escape")
    expect(view.total).to_have_text(f"{rows(walk)} rows")
    Grid(page).search("")
