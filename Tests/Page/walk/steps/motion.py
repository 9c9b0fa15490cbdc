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
# Drags the map over some frames and lets it go with the last move, however busy the computer is; tells
# whether the map goes on moving in the next frames. The distance makes it fast, even with slow frames.
FLING = """async ([x, y]) => {
  const { canvas, camera } = document.querySelector("cairn-map").surface;
  const frame = () => new Promise(requestAnimationFrame);
  const send = (type, clientX) => canvas.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, pointerType: "mouse", isPrimary: true, bubbles: true, clientX, clientY: y,
    button: type === "pointermove" ? -1 : 0, buttons: type === "pointerup" ? 0 : 1,
  }));
  send("pointerdown", x);
  for (let step = 1; step <= 4; step += 1) {
    await frame();
    send("pointermove", x + 1000 * step);
  }
  send("pointerup", x + 4000);
  const before = camera.x;
  for (let frames = 0; frames < 3; frames += 1) await frame();
  return camera.x !== before;
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
            assert fling(tab.page) == moves, preference
            problems = tab.take_problems()
            assert not problems, problems
        finally:
            tab.close()


def fling(page):
    """Drags the map and lets it go; returns whether it went on moving."""
    x, y = Map(page).middle()
    # Away from the pin, which would be dragged instead.
    x, y = x - 200, y + 150
    page.mouse.move(x, y)
    return page.evaluate(FLING, [x, y])
