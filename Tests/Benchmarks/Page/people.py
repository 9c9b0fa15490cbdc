"""Twenty people who label one dataset at once."""

import http.client
import json
import random
import ssl
import threading
import time
import urllib.parse

from server import Server

PEOPLE = 20
SECONDS = 10


class Visitor(threading.Thread):
    """A person with a page: reads rows and thumbnails, labels, and listens to events."""

    def __init__(self, link, number, end):
        super().__init__(daemon=True)
        address = urllib.parse.urlsplit(link)
        self.scheme = address.scheme
        self.address, self.random, self.end = address.netloc, random.Random(number), end
        self.labels, self.thumbnails, self.errors = [], [], []
        connection = self.connect()
        connection.request("GET", f"/?{address.query}")
        response = connection.getresponse()
        response.read()
        self.cookie = response.headers["Set-Cookie"].partition(";")[0]

    def connect(self):
        if self.scheme == "http":
            return http.client.HTTPConnection(self.address, timeout=30)
        # The server signs its certificate itself.
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(self.address, timeout=30, context=context)

    def ask(self, connection, method, path, body=None):
        start = time.monotonic()
        connection.request(method, path, None if body is None else json.dumps(body), {
            "Cookie": self.cookie, "Origin": f"{self.scheme}://{self.address}",
            "Content-Type": "application/json"})
        response = connection.getresponse()
        data = response.read()
        if response.status >= 400:
            self.errors.append(f"{method} {path[:40]}: {response.status} {data[:200]}")
        return data, 1000 * (time.monotonic() - start)

    def run(self):
        events = self.connect()
        events.request("GET", "/api/events", headers={"Cookie": self.cookie})
        events.getresponse()
        connection = self.connect()
        made, _ = self.ask(connection, "POST", "/api/sets", {"query": "", "sort": "taken"})
        info = json.loads(made)
        while time.monotonic() < self.end:
            start = self.random.randrange(max(1, info["count"] - 50))
            data, _ = self.ask(connection, "GET", f"/api/sets/{info['set']}/photos?from={start}&count=50")
            ids = [row["id"] for row in json.loads(data)["photos"]]
            _, spent = self.ask(connection, "GET", "/api/thumbnails?ids=" + ",".join(ids))
            self.thumbnails.append(spent)
            for photo in ids[:4]:
                _, spent = self.ask(connection, "POST", "/api/edits", {
                    "do": "label", "target": {"photos": [photo]},
                    "classes": [f"class-{self.random.randrange(40):02}"]})
                self.labels.append(spent)
        events.close()


def people(dataset, page, table, log):
    invitations = [
        option for number in range(PEOPLE)
        for option in ("--invite", f"Person {number} <p{number}@example.org>")]
    server = Server(dataset, *page, "--lan", *invitations, log=log)
    try:
        end = time.monotonic() + SECONDS
        visitors = [
            Visitor(local(one["link"], server.port), number, end)
            for number, one in enumerate(server.links["invited"])]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join(SECONDS + 60)
        labels = [spent for visitor in visitors for spent in visitor.labels]
        table.row("20 people at once: label acknowledged", "", labels)
        table.row("  50 thumbnails", "", [spent for one in visitors for spent in one.thumbnails])
        table.row("  labels a second", "", [len(labels) / SECONDS], "")
        errors = [error for visitor in visitors for error in visitor.errors]
        table.row("  errors", "0", [len(errors)], "")
        for error in errors[:3]:
            print(f"  {error}")
    finally:
        server.stop()


def local(link, port):
    """Returns the link with the address of this computer."""
    return urllib.parse.urlunsplit(urllib.parse.urlsplit(link)._replace(netloc=f"127.0.0.1:{port}"))
