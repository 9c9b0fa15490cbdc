"""Whether a label is on the disk before it is acknowledged, seen in the server's system calls."""

import pathlib
import re

from server import Server

CALLS = "fsync,fdatasync,read,recvfrom,recvmsg,write,writev,sendto,sendmsg"


def order_of_fsync(dataset, page, table, log):
    """Labels a photo twenty times under strace, and counts the fsyncs between request and response."""
    output = pathlib.Path(log).with_name("strace")
    # With -D, the signal that ends the server does not go to strace, which ignores it.
    server = Server(
        dataset, *page, log=log,
        prefix=["strace", "-D", "-f", "-q", "-tt", "-s", "200", "-e", f"trace={CALLS}", "-o", str(output)])
    try:
        photo = server.request("POST", "/api/sets", {"query": "", "sort": "id"})["set"]
        photo = server.request("GET", f"/api/sets/{photo}/photos?from=0&count=1")["photos"][0]["id"]
        for number in range(20):
            server.request("POST", "/api/edits", {
                "do": "label", "target": {"photos": [photo]}, "classes": ["class-00"],
                "verdict": "present" if number % 2 else "absent"})
    finally:
        server.stop()
    counts, syncs = [], None
    for line in output.read_text(errors="replace").splitlines():
        if "POST /api/edits" in line:
            syncs = 0
        elif syncs is not None and re.search(r"\bf(data)?sync(\(| resumed)", line) and "unfinished" not in line:
            syncs += 1
        elif syncs is not None and "HTTP/1.1 200" in line:
            counts.append(syncs)
            syncs = None
    table.row("fsyncs before a label is acknowledged", "≥ 1", counts, "")
    if counts and min(counts) == 0:
        print("  An answer was acknowledged before it was on the disk!")
