"""Point 1: the command, its link, and its end."""

from playwright.sync_api import expect

from browser import Tab
from grid_page import Grid
from walk import step


@step("1 serve: the link opens the page once", tags=("main",))
def link(walk):
    expect(walk.page.get_by_role("heading", name="Highland walk")).to_be_visible()
    assert "token" not in walk.page.url, walk.page.url
    cookie = next(c for c in walk.tab.context.cookies() if c["name"] == f"cairn-{walk.server.port}")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
    stranger = Tab(walk.browser, walk.server)
    stranger.is_lenient = True
    response = stranger.page.goto(walk.server.url)
    assert response.status == 401, response.status
    expect(stranger.page.locator("body")).to_contain_text("cairn serve")
    stranger.close()


@step("1 serve: --read-only changes nothing", tags=("chromium",))
def read_only(walk):
    server = walk.start(walk.bob, "--read-only")
    tab = Tab(walk.browser, server).open()
    try:
        grid = Grid(tab.page)
        expect(tab.page.get_by_text("Read-only: nothing can be changed here.")).to_be_visible()
        grid.expect_count(walk.bob.count())
        expect(grid.class_button("oak")).to_be_disabled()
        grid.focus(1)
        before = walk.bob.cairn("status")
        tab.page.keyboard.press(grid.key_of("oak"))
        expect(grid.messages.get_by_role("alert")).to_be_visible()
        assert walk.bob.cairn("status") == before
    finally:
        tab.close()
        assert server.stop() == 0
    walk.bob.cairn("verify")
