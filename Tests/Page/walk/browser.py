"""Debian's browsers, driven by Playwright: Firefox, too, over WebDriver BiDi."""

import shutil
import sys
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect

# Milliseconds until a state that does not come counts as a failure: far more than a busy computer needs.
TIMEOUT = 60_000
# The same for what the page reports the progress of, such as a bulk edit or a fetch.
LONG_TIMEOUT = 240_000
# The hash of “body {}”, an inline style that Playwright adds for a screenshot: the page's policy refuses
# it, and Firefox reports that.
PLAYWRIGHT_STYLE = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA="
# The rules of WCAG 2.2, levels A and AA.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# Refusals that the page turns into a question or a message: an invalid query or name, nothing to undo, a
# conflict, an expired set, a class to confirm.
EXPECTED = {400, 404, 409, 410, 422}


def launch(playwright, name):
    """Starts `chromium` or `firefox`."""
    if name == "firefox":
        path = shutil.which("firefox-esr") or shutil.which("firefox")
        return playwright.firefox.launch(
            channel="moz-firefox", executable_path=path, timeout=180_000)
    path = shutil.which("chromium") or shutil.which("google-chrome")
    # Pages in the background of a headless browser would otherwise be slowed down.
    return playwright.chromium.launch(executable_path=path, args=["--disable-gpu"], timeout=180_000)


class Tab:
    """A page of a session of its own, with everything that went wrong in it.

    Attributes:
        failures: The file for a screenshot of a page that a step closes as it fails.
    """

    failures = None

    def __init__(self, browser, server, **options):
        expect.set_options(timeout=TIMEOUT)
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US"} | options
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(TIMEOUT)
        self.server, self.problems = server, []
        self.page = self.context.new_page()
        # Whether errors are expected, for example while the server is down.
        self.is_lenient = False
        self.page.on("pageerror", lambda error: self.note(f"error: {error}"))
        self.page.on("console", self.note_message)
        self.page.on("request", self.check_address)
        self.page.on("response", self.check_status)

    def note(self, text):
        if not self.is_lenient and PLAYWRIGHT_STYLE not in text:
            self.problems.append(text)

    def note_message(self, message):
        # Refused requests are in `check_status`.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.note(f"{message.type}: {message.text}")

    def check_address(self, request):
        address = urllib.parse.urlsplit(request.url)
        if address.scheme not in ("blob", "data", "about") and address.hostname != "127.0.0.1":
            self.problems.append(f"request to {request.url}")

    def check_status(self, response):
        if response.status >= 400 and response.status not in EXPECTED:
            self.note(f"{response.request.method} {response.url}: {response.status}")

    def open(self, url=None):
        """Opens the page with the link that the server printed."""
        self.page.goto(url or self.server.url)
        # Firefox gives the focus only to the page in front.
        self.page.bring_to_front()
        return self

    def go(self, route):
        """Opens a route, such as `grid?q=label:oak`."""
        self.page.evaluate("route => { location.hash = '#/' + route; }", route)

    def check_accessibility(self, view):
        """Fails if axe finds something against WCAG 2.2 AA on what is shown."""
        options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
        found = Axe().run(self.page, options=options).response
        assert found["passes"], "axe checked nothing"
        lines = [
            f"{view}: {entry['id']}: {entry['help']}: {node['target'][0]}: "
            + " ".join(node.get("failureSummary", "").split())
            for entry in found["violations"] for node in entry["nodes"][:3]]
        assert not lines, "\n".join(lines)

    def take_problems(self):
        """Returns what went wrong since the last call."""
        problems, self.problems = self.problems, []
        return problems

    def close(self):
        """Ends the session; after a failure, keeps a screenshot of what the page shows."""
        try:
            if sys.exc_info()[0] and Tab.failures:
                self.page.screenshot(path=Tab.failures)
            self.context.close()
        except Error:
            pass
