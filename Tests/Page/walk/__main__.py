"""Walks the page of `cairn serve` in a browser, and checks the documents after each step.

Usage: walk [CAIRN] [--browser chromium|firefox] [--photos DIR] [--page DIR] [--only TEXT]… [--keep]

Needs Debian's chromium or firefox-esr, git, and the packages of ../requirements.txt. Nothing but this
computer is asked: the walk runs without a network. Screenshots are kept in .build/page.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import os
import pathlib
import shutil
import signal
import sys
import tempfile

import network

ROOT = pathlib.Path(__file__).resolve().parents[3]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cairn", nargs="?", default=ROOT / ".build/debug/cairn")
    parser.add_argument("--browser", choices=["chromium", "firefox"], default="chromium")
    parser.add_argument("--photos", metavar="DIR", help="a folder of photos to use, too")
    parser.add_argument("--page", metavar="DIR", help="serve the page's files from this directory")
    parser.add_argument("--only", action="append", default=[], help="steps with this in their title")
    parser.add_argument("--keep", action="store_true", help="keep the datasets")
    return parser.parse_args()


def main():
    options = arguments()
    network.leave()
    from playwright.sync_api import sync_playwright

    import scene
    import steps  # noqa: F401 (registers the steps)
    from browser import launch
    from dataset import Workspace
    from server import Server, Services
    from walk import Walk, chosen

    shots = ROOT / ".build/page"
    shots.mkdir(parents=True, exist_ok=True)
    root = pathlib.Path(tempfile.mkdtemp(prefix="cairn-walk-"))

    def interrupted(*_):
        """Ends the servers when `timeout` ends the walk; the browser and the services end by themselves."""
        for server in list(Server.running):
            server.process.kill()
        shutil.rmtree(root, ignore_errors=True)
        os._exit(1)

    signal.signal(signal.SIGTERM, interrupted)
    page = ["--page", pathlib.Path(options.page).resolve()] if options.page else []
    wanted = chosen(options.browser, options.only)
    walk = services = many = None
    background = ThreadPoolExecutor(1)
    try:
        workspace = Workspace(root / "work", options.cairn)
        if any("many" in tags for _, _, tags in wanted):
            # Made while the first steps run.
            many = background.submit(scene.make_many, workspace)
        ann, bob = scene.make(workspace, options.photos)
        services = Services(root / "services", total=40, photos=str(workspace.root / "camera"))

        def start(dataset, *more, **environment):
            return Server(dataset, *page, *more, log=shots / "server.log", **environment)

        with sync_playwright() as playwright:
            browser = launch(playwright, options.browser)
            print(f"{options.browser} {browser.version}", flush=True)
            walk = Walk(
                browser=browser, browser_name=options.browser, workspace=workspace, ann=ann, bob=bob,
                many=many, services=services, start=start, shots=shots)
            try:
                walk.open()
                failed = walk.run(wanted)
            finally:
                walk.close()
                browser.close()
    finally:
        background.shutdown(cancel_futures=True)
        if services:
            services.stop()
        if options.keep:
            print(f"The datasets are in {root}.")
        else:
            shutil.rmtree(root, ignore_errors=True)
    print(f"{failed} failed" if failed else "All steps passed.")
    return 1 if failed else 0


sys.exit(main())
