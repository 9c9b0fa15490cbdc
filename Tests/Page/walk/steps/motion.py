"""Point 11: what moves, and that nothing does for a person who asked the system for less motion."""

from playwright.sync_api import expect

from browser import Tab
from steps.map import HARBOR, Map
from walk import step

# Elements whose changes are animated.
ANIMATED = """() => [...document.querySelectorAll("*")].filter((element) => {
  const { transitionDuration, animationDuration } = getComputedStyle(element);
  return `${transitionDuration},${animationDuration}`.split(",").some((text) => parseFloat(text) > 0);
}).length"""
# From now on, notes where the map is when the pointer goes up, and three frames later.
WATCH = """() => {
  window.coast = new Promise((done) => addEventListener("pointerup", () => {
    const { camera } = document.querySelector("cairn-map").surface;
    const before = camera.x;
    let frames = 3;
    const look = () => (frames -= 1) < 0 ? done(camera.x !== before) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  }, { once: true }));
}"""


@step("11 access: the map coasts and buttons fade, but not with reduced motion", tags=("chromium",))
def reduced_motion(walk):
    for preference, moves in [("no-preference", True), ("reduce", False)]:
        tab = Tab(walk.browser, walk.server, reduced_motion=preference)
        tab.context.add_cookies(walk.tab.context.cookies())
        try:
            tab.open(f"http://127.0.0.1:{walk.server.port}/#/map?at={HARBOR},11")
            expect(Map(tab.page).canvas).to_be_visible()
            tab.page.wait_for_function("() => document.querySelector('cairn-map').surface?.items.length > 0")
            assert (tab.page.evaluate(ANIMATED) > 0) == moves, preference
            # A busy computer may let the pointer rest before it goes up: then nothing coasts.
            flings = (fling(tab.page) for _ in range(20 if moves else 5))
            assert any(flings) == moves, preference
            problems = tab.take_problems()
            assert not problems, problems
        finally:
            tab.close()


def fling(page):
    """Drags the map and lets it go; returns whether it went on moving."""
    x, y = Map(page).middle()
    # Away from the pin, which would be dragged instead.
    x, y = x - 200, y + 150
    page.evaluate(WATCH)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 160, y, steps=6)
    page.mouse.up()
    page.mouse.move(x, y)
    return page.evaluate("() => window.coast")
