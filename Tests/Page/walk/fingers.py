"""Fingers on a touch screen, as Chromium's DevTools protocol sends them: real gestures, which scroll, too."""

import contextlib

from browser import Tab

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True}


class Fingers:
    def __init__(self, tab):
        self.session = tab.context.new_cdp_session(tab.page)

    def send(self, kind, points):
        self.session.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [
                {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})

    def put(self, *points):
        self.send("touchStart", points)

    def lift(self):
        self.send("touchEnd", [])

    def drag(self, *paths, steps=8):
        """Moves one finger for each path, from its start to its end, at the same time."""
        self.put(*(start for start, _ in paths))
        for step in range(1, steps + 1):
            self.send("touchMove", [
                (x + (to_x - x) * step / steps, y + (to_y - y) * step / steps)
                for (x, y), (to_x, to_y) in paths])
        self.lift()

    def pinch(self, x, y, start, end):
        """Moves two fingers from a distance to another, around a point."""
        self.drag(((x - start / 2, y), (x - end / 2, y)), ((x + start / 2, y), (x + end / 2, y)))

    def tap(self, x, y):
        self.put((x, y))
        self.lift()


def middle(locator):
    """Returns the center of an element on the screen."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextlib.contextmanager
def phone(walk, route):
    """Opens a route on a phone, in Ann's session."""
    tab = Tab(walk.browser, walk.server, **PHONE)
    try:
        tab.context.add_cookies(walk.tab.context.cookies())
        tab.open(f"http://127.0.0.1:{walk.server.port}/#/{route}")
        yield tab, Fingers(tab)
        problems = tab.take_problems()
        assert not problems, problems
    finally:
        tab.close()
