"""The steps of the walk, and what they share."""

import time
import traceback

from browser import LONG_TIMEOUT, Tab

STEPS = []


def step(title, *, tags=("main",)):
    """Registers a step.

    Args:
        tags: `main` steps run in every browser; `many` steps use the dataset of many photos.
    """
    def register(run):
        STEPS.append((title, run, tags))
        return run
    return register


def chosen(browser, only):
    """Returns the steps for a browser whose title contains a text of `only`."""
    return [
        one for one in STEPS if (browser == "chromium" or "main" in one[2])
        and (not only or any(text in one[0] for text in only))]


class Walk:
    """A dataset, its server, a browser, and the page in it.

    Attributes:
        tab: The page of Ann, who runs the server.
    """

    def __init__(self, *, browser, browser_name, workspace, ann, bob, many, services, start, shots):
        self.browser, self.browser_name = browser, browser_name
        self.workspace, self.ann, self.bob, self.made = workspace, ann, bob, many
        self.services, self.start, self.shots = services, start, shots
        self.server = self.tab = None

    @property
    def many(self):
        """A dataset of many small photos."""
        return self.made.result()

    @property
    def page(self):
        return self.tab.page

    def open(self):
        self.server = self.start(self.ann, **self.services.environment)
        self.tab = Tab(self.browser, self.server).open()

    def shot(self, name, page=None):
        """Keeps a screenshot in .build/page."""
        self.shots.mkdir(parents=True, exist_ok=True)
        # A busy computer needs a while to draw a large page.
        (page or self.page).screenshot(
            path=self.shots / f"{self.browser_name}-{name}.png", animations="disabled", timeout=LONG_TIMEOUT)

    def run(self, steps):
        """Runs steps; returns how many failed."""
        failed = 0
        for title, run, _ in steps:
            start = time.monotonic()
            Tab.failures = self.shots / f"{self.browser_name}-failed-{failed + 1}-other.png"
            try:
                run(self)
                problems = self.tab.take_problems()
                assert not problems, "the page reported:\n" + "\n".join(problems[:20])
                print(f"ok      {title} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED  {title} ({time.monotonic() - start:.1f} s)", flush=True)
                print(describe(error), flush=True)
                self.recover(f"failed-{failed}")
        return failed

    def recover(self, name):
        """After a failure: keeps a screenshot, and opens the page in a known state."""
        Tab.failures = None
        try:
            self.shot(name)
            for problem in self.tab.take_problems()[:10]:
                print(f"        {problem}")
            self.tab.close()
        except Exception as error:
            print(f"        no screenshot: {error}")
        if self.server.process.poll() is not None:
            print(f"        the server ended with exit code {self.server.process.returncode}")
        else:
            self.server.stop()
        self.open()

    def close(self):
        if self.tab:
            self.tab.close()
        if self.server and self.server.process.poll() is None:
            self.server.kill()


def describe(error):
    """Returns the message of an error, and the lines of the steps that it came from."""
    frames = [
        f"  {frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.line}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "/Tests/Page/" in frame.filename][1:]
    text = "\n".join(f"  {line}" for line in str(error).splitlines()[:24])
    return f"{text or type(error).__name__}\n" + "\n".join(frames)
