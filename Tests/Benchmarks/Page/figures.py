"""The figures of the page, each with the goal that it is compared with."""

import json
import pathlib
import re
import time

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from fsync import order_of_fsync
from grid_page import Grid
from people import people
from server import Server

PROBE = pathlib.Path(__file__).with_name("probe.js")


def measure(browser, dataset, page, table, log):
    server = Server(dataset, *page, log=log)
    tab = Tab(browser, server, viewport={"width": 1600, "height": 1000})
    tab.context.set_default_timeout(60_000)
    tab.context.add_init_script(path=PROBE)
    tab.open()
    try:
        Grid(tab.page).expect_pictures(40)
        for name, figure in FIGURES:
            if table.wants(name):
                figure(tab, table, server)
    finally:
        for problem in tab.take_problems()[:10]:
            print(f"  {problem}")
        tab.close()
        server.stop()
    if table.wants("fsync"):
        order_of_fsync(dataset, page, table, log)
    if table.wants("20 people"):
        people(dataset, page, table, log)


def first_photos(tab, table, server):
    times = []
    for _ in range(9):
        tab.page.goto("about:blank")
        tab.page.goto(f"http://127.0.0.1:{server.port}/#/grid")
        times.append(tab.page.evaluate("probe.first(40)"))
    table.row("first 40 photos decoded", "≤ 500", times)


def scrolling(tab, table, server):
    page = tab.page
    top(tab)
    fine = page.evaluate("probe.scroll(80, 600)")
    table.row("scrolling 80 px a frame: frame", "p95 ≤ 25", fine["times"], digits=1)
    table.row("  cells without a picture", "0 %", [100 * fine["empty"] / fine["seen"]], "%", 2)
    page.evaluate("probe.jump(0.3)")
    rows = page.evaluate("probe.scroll(probe.rowHeight(), 400)")
    table.row("scrolling a row a frame: frame", "", rows["times"], digits=1)
    table.row("  cells without a picture", "≤ 10 %", [100 * rows["empty"] / rows["seen"]], "%", 2)


def jumping(tab, table, server):
    top(tab)
    times = [tab.page.evaluate("part => probe.jump(part)", part)
             for part in (0.5, 0.52, 0.17, 0.83, 0.61, 0.35, 0.72, 0.08, 0.94)]
    table.row("jump into the middle: all pictures", "≤ 300", times)


def top(tab):
    """Shows the grid from its beginning."""
    tab.page.goto("about:blank")
    tab.page.goto(f"http://127.0.0.1:{tab.server.port}/#/grid")
    tab.page.evaluate("probe.first(40)")


def key_to_label(tab, table, server):
    """Labels one photo after the other; classes take turns, so that each key changes something."""
    top(tab)
    grid = Grid(tab.page)
    times = []
    for number in range(60):
        grid.focus(number % 20 + 1)
        cell = grid.cell(number % 20 + 1)
        has = "(confirmed)" in (cell.get_attribute("aria-label") or "")
        tab.page.evaluate("probe.watchLabels()")
        tab.page.keyboard.press("w" if has else str(number % 9 + 1))
        tab.page.wait_for_function("() => probe.keys.times.length === 1")
        times += tab.page.evaluate("probe.keyTimes()")
        tab.page.wait_for_function("() => !document.querySelector('.cell.pending:not([hidden])')")
    table.row("key → label painted, grid", "p95 ≤ 50", times)


def bulk(tab, table, server):
    """Labels 500 selected photos, and undoes it."""
    top(tab)
    grid, page = Grid(tab.page), tab.page
    painted, saved = [], []
    button = page.get_by_role("toolbar", name="Classes").get_by_role("button").last
    name, key = button.locator("span").first.inner_text(), button.get_attribute("aria-keyshortcuts")
    for _ in range(7):
        grid.focus(1)
        page.evaluate("import('/page/data/selection.js').then(({ selection }) => selection.range(0, 499))")
        grid.expect_selected(500)
        page.evaluate(f"probe.watchBulk({json.dumps(name)})")
        start = time.monotonic()
        page.keyboard.press(key)
        page.wait_for_function("() => probe.keys.times.length === 1")
        painted += page.evaluate("probe.keyTimes()")
        page.wait_for_function("() => !document.querySelector('.cell.pending:not([hidden])')")
        saved.append(1000 * (time.monotonic() - start))
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        expect(grid.messages).to_contain_text("Undone")
        expect(grid.cell(1)).not_to_have_accessible_name(re.compile(name))
        grid.messages.get_by_role("button", name="Close").first.click()
    table.row("500 selected, one key: painted", "≤ 100", painted)
    table.row("  and on the disk", "", saved)


# One more than a request may edit is a job.
JOB = 501
BULK = 10_000


def bulk_job(tab, table, server):
    """Labels 10,000 selected photos twice: to the end, and canceled as soon as there is progress."""
    top(tab)
    grid, page = Grid(tab.page), tab.page
    count = min(BULK, page.evaluate("import('/page/data/store.js').then(({ store }) => store.set.count)"))
    if count < JOB:
        return
    button = page.get_by_role("toolbar", name="Classes").get_by_role("button").last
    key = button.get_attribute("aria-keyshortcuts")
    jobs = page.get_by_role("region", name="Running jobs")

    def begin():
        """Starts the job; returns when, and the times until the preview and the first progress."""
        grid.focus(1)
        page.evaluate(
            "count => import('/page/data/selection.js').then(({ selection }) => selection.range(0, count - 1))",
            count)
        grid.expect_selected(count)
        start = time.monotonic()
        page.keyboard.press(key)
        change = page.get_by_role("button", name=re.compile("^Change"))
        expect(change).to_be_visible()
        shown = time.monotonic()
        change.click()
        page.wait_for_function("() => document.querySelector('.jobs progress')?.value > 0")
        return shown, 1000 * (shown - start), 1000 * (time.monotonic() - shown)

    undone_text = re.compile("Undo.*done|Undone")

    def undo():
        # Messages disappear by themselves.
        expect(grid.messages).not_to_contain_text(undone_text)
        start = time.monotonic()
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        expect(grid.messages).to_contain_text(undone_text, timeout=LONG_TIMEOUT)
        return 1000 * (time.monotonic() - start)

    start, preview, progress = begin()
    expect(jobs).to_be_hidden(timeout=LONG_TIMEOUT)
    expect(grid.messages.get_by_role("button", name="Undo")).to_be_visible()
    whole = 1000 * (time.monotonic() - start)
    undone = undo()
    _, again, second = begin()
    start = time.monotonic()
    jobs.get_by_role("button", name="Cancel").click()
    expect(grid.messages).to_contain_text("canceled after", timeout=LONG_TIMEOUT)
    stopped = 1000 * (time.monotonic() - start)
    undo()
    table.row(f"{count:,} selected, one key: preview", "", [preview, again])
    table.row("  first progress", "", [progress, second])
    table.row("  all on the disk", "", [whole])
    table.row("  all undone", "", [undone])
    table.row("  Cancel → stopped", "≤ 1,000", [stopped])


def reviews(tab, table, server):
    """Reviews 200 photos, at four a second."""
    page = tab.page
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#/review")
    page.wait_for_function(
        "() => document.querySelector('cairn-review .picture canvas')?.width > 0")
    page.evaluate("probe.watchReview()")
    for number in range(200):
        start = time.monotonic()
        page.keyboard.press("ar"[number % 2])
        page.wait_for_function("count => probe.keys.times.length === count", arg=number + 1)
        page.wait_for_timeout(max(0, 250 - 1000 * (time.monotonic() - start)))
    table.row("key → next photo painted, review", "p95 ≤ 50", page.evaluate("probe.keyTimes()"))
    memory(tab, table, server)


def memory(tab, table, server):
    session = tab.context.new_cdp_session(tab.page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    table.row("JS heap after 200 reviews", "≤ 20", [heap], "MB")
    browser = tab.context.browser.new_browser_cdp_session()
    processes = browser.send("SystemInfo.getProcessInfo")["processInfo"]
    largest = max(resident(one["id"]) for one in processes if one["type"] == "renderer")
    table.row("renderer memory after 200 reviews", "≤ 600", [largest], "MB")


def map_frames(tab, table, server):
    page = tab.page
    times = []
    for _ in range(5):
        top(tab)
        page.wait_for_function("() => customElements.get('cairn-map')")
        times.append(page.evaluate("probe.map()"))
    table.row("map: first drawn", "≤ 150", times)
    box = page.locator("cairn-map canvas").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate("() => { probe.run = probe.frames(); }")
    for turn in range(6):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + (250 if turn % 2 else -250), y + 60, steps=40)
        page.mouse.up()
        page.mouse.wheel(0, -200 if turn < 3 else 200)
    frames = page.evaluate("() => { probe.moving = false; return probe.run; }")
    table.row("map: frame while moving", "p95 ≤ 33", frames, digits=1)


def server_memory(tab, table, server):
    table.row("server resident", "≤ 250", [resident(server.process.pid)], "MB")


def resident(pid):
    """Returns the resident memory of a process in megabytes."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024 / 1e6


FIGURES = [
    ("first 40 photos decoded", first_photos), ("scrolling", scrolling), ("jump", jumping),
    ("key → label painted, grid", key_to_label), ("500 selected", bulk), ("10,000 selected", bulk_job),
    ("map", map_frames),
    ("review and memory", reviews), ("server resident", server_memory),
]
