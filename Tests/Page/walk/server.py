"""The server `cairn serve` as a process, and the photo services that stand in for Flickr."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time
import urllib.request

# Seconds until the server must have printed its links, and until it must have ended.
START_LIMIT = 120
END_LIMIT = 60


def read_json(process, limit):
    """Returns the first JSON value of a process's output."""
    deadline, text = time.monotonic() + limit, b""
    while True:
        rest = deadline - time.monotonic()
        if rest <= 0 or not select.select([process.stdout], [], [], rest)[0]:
            raise AssertionError(f"no answer after {limit} seconds: {text.decode()}")
        part = os.read(process.stdout.fileno(), 65536)
        text += part
        try:
            return json.loads(text)
        except ValueError:
            if not part:
                raise AssertionError(f"the process ended: {text.decode()}") from None


class Server:
    """A running `cairn serve`. Its errors go to a log."""

    # Those that have not ended.
    running = set()

    def __init__(self, dataset, *options, log, port=0, prefix=(), **environment):
        workspace = dataset.workspace
        self.log = open(log, "ab")
        self.process = subprocess.Popen(
            [*prefix, str(workspace.cairn), "serve", "--no-open", "--json", "--port", str(port),
             *map(str, options)],
            cwd=dataset.path, env=workspace.environment | environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log)
        Server.running.add(self)
        try:
            self.links = read_json(self.process, START_LIMIT)
        except BaseException:
            self.kill()
            raise
        self.port, self.url, self.key = self.links["port"], self.links["link"], self.links["key"]

    def request(self, method, path, body=None):
        """Returns the answer of a route as JSON."""
        return json.loads(self.bytes(method, path, body) or b"null")

    def bytes(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, method=method, headers={
                "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read()

    def events(self, on_open=lambda: None):
        """Yields the events from now on, as their name and data; calls `on_open` when connected."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/events", headers={
                "Authorization": f"Bearer {self.key}", "Accept": "text/event-stream"})
        name = ""
        with urllib.request.urlopen(request, timeout=60) as response:
            on_open()
            for line in response:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    yield name, json.loads(value)

    def stop(self):
        """Ends the server as Ctrl-C does, and returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not end in {END_LIMIT} seconds") from None
        finally:
            self.log.close()
            Server.running.discard(self)

    def kill(self):
        self.process.kill()
        self.process.wait(END_LIMIT)
        self.log.close()
        Server.running.discard(self)


class Services:
    """Photo services on this machine, with answers in their documented formats."""

    def __init__(self, directory, **plan):
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        program = pathlib.Path(__file__).parents[2] / "Support/Programs/photo_services.py"
        self.process = subprocess.Popen(
            [sys.executable, program, directory, json.dumps(plan)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        port = read_json(self.process, START_LIMIT)
        self.log = directory / "log"
        self.environment = {
            "CAIRN_FLICKR_URL": f"http://127.0.0.1:{port}/flickr", "CAIRN_FLICKR_KEY": "good-key"}

    def requests(self, path):
        """Returns the requests whose path begins with `path`."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [entry for entry in map(json.loads, lines) if entry["path"].startswith(path)]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(END_LIMIT)
