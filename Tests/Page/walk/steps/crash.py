"""A server that is killed in the middle of a bulk edit."""

import re
import threading

from playwright.sync_api import expect

from browser import LONG_TIMEOUT, Tab
from grid_page import Grid
from server import END_LIMIT, START_LIMIT
from walk import step


class Progress:
    """What the server acknowledges of a bulk edit, in its events; kills the server in the middle of it."""

    def __init__(self, server):
        self.done, self.total, self.server = 0, 0, server
        self.connected = threading.Event()
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def follow(self):
        try:
            for name, data in self.server.events(self.connected.set):
                if name != "job":
                    continue
                self.done, self.total = data["done"], data["total"]
                if 0 < self.done < self.total:
                    self.server.process.kill()
                if data["state"] in ("done", "failed"):
                    return
        except (OSError, ValueError):
            pass


@step("kill -9 in a bulk edit loses no acknowledged answer", tags=("chromium", "many"))
def killed(walk):
    server = walk.start(walk.many)
    tab = Tab(walk.browser, server).open()
    restarted = None
    try:
        grid, page = Grid(tab.page), tab.page
        grid.expect_count(walk.many.count())
        grid.focus(1)
        page.keyboard.press("c")
        page.get_by_role("dialog", name="Label with which class?").get_by_role("combobox").fill("storm")
        page.keyboard.press("Enter")
        page.get_by_role("dialog", name=re.compile("Create")).get_by_role("button", name="Create").click()
        expect(grid.cell(1)).to_have_accessible_name(re.compile(r"storm \(confirmed\)"))
        page.wait_for_function("() => !document.querySelector('.pending:not([hidden])')")
        progress = Progress(server)
        assert progress.connected.wait(START_LIMIT), "no events"
        page.keyboard.press("Control+a")
        page.keyboard.press(grid.key_of("storm"))
        tab.is_lenient = True
        page.get_by_role("button", name=re.compile("^Change")).click()
        progress.thread.join(LONG_TIMEOUT / 1000)
        server.process.wait(END_LIMIT)
        assert 0 < progress.done < progress.total, f"{progress.done} of {progress.total}: it ended before"
        expect(page.get_by_text("No connection to the server. Trying again…")).to_be_visible()
        walk.shot("disconnected", page)
        kept = walk.many.count("label:storm")
        assert kept >= progress.done, f"{progress.done} were acknowledged, {kept} are there"
        walk.many.cairn("verify")
        restarted = walk.start(walk.many, port=server.port)
        expect(page.get_by_text("No connection to the server. Trying again…")).to_be_hidden(timeout=30_000)
        tab.take_problems()
        tab.is_lenient = False
        grid.search("-label:storm")
        grid.expect_count(walk.many.count("-label:storm"))
        grid.focus(1)
        page.keyboard.press(grid.key_of("storm"))
        expect(grid.cell(1)).to_have_accessible_name(re.compile(r"storm \(confirmed\)"))
        page.wait_for_function("() => !document.querySelector('.pending:not([hidden])')")
        assert walk.many.count("label:storm") == kept + 1
        problems = tab.take_problems()
        assert not problems, problems
        print(f"        {progress.done} of {progress.total} were acknowledged, {kept} kept")
    finally:
        tab.close()
        server.kill()
        if restarted:
            restarted.stop()
