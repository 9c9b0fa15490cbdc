"""OpenStack Swift with its S3 API, all of it in this process, with a temporary directory as its disk.

Its first line on stdout is JSON with the port, the bucket and the key. Then each line on stdin is a
request in JSON, to which it responds with one line. It runs until its stdin ends.
"""
import base64
import json
import logging
import os
import sys
import tempfile
import time
import urllib.parse

from swift.common import utils

utils.eventlet_monkey_patch()

import eventlet.tpool
import eventlet.wsgi
from swift.common.ring import RingBuilder
from swift.common.swob import Request
from swift.common.wsgi import SwiftHttpProtocol, loadapp

BUCKET, ACCOUNT = "cairn-images", "/v1/AUTH_team"
USER, SECRET = "team:ann", "hushhush"
# As in Swift's sample configuration, without what the S3 API does not need.
FILTERS = ["catch_errors", "gatekeeper", "listing_formats", "s3api", "tempauth", "copy", "slo",
           "dlo", "versioned_writes", "symlink"]
OPTIONS = {"tempauth": f"user_{USER.replace(':', '_')} = {SECRET} .admin",
           "proxy": "account_autocreate = true",
           # A listing that is late stays late, without the program that corrects it.
           "object": "container_update_timeout = 60",
           # Newer versions leave the parts of a deleted object to a program that deletes them later.
           "slo": "allow_async_delete = false"}
disk = tempfile.TemporaryDirectory()
ROOT = disk.name
cached = {}
unlisted = set()


class Cache:
    """What memcached would keep, which Swift requires."""

    def get(self, key, **options):
        return cached.get(key)

    def set(self, key, value, **options):
        cached[key] = value

    def incr(self, key, delta=1, **options):
        cached[key] = cached.get(key, 0) + delta
        return cached[key]

    def delete(self, key, **options):
        cached.pop(key, None)


def write(name, text):
    with open(f"{ROOT}/{name}", "w") as file:
        file.write(text)


def load(name, filters, app):
    """Returns one of Swift's servers. Nobody reads its log."""
    write(f"{name}.conf", "\n".join([
        "[DEFAULT]", f"swift_dir = {ROOT}", f"devices = {ROOT}/disks", "mount_check = false",
        "fallocate_reserve = 0", "log_level = CRITICAL", f"log_address = {ROOT}/no-log",
        "conn_timeout = 60", "node_timeout = 60",
        "[pipeline:main]", f"pipeline = {' '.join(filters)} {app}-server",
        f"[app:{app}-server]", f"use = egg:swift#{app}", OPTIONS.get(app, ""),
        *(f"[filter:{each}]\nuse = egg:swift#{each}\n{OPTIONS.get(each, '')}" for each in filters),
    ]))
    return loadapp(f"{ROOT}/{name}.conf", allow_modify_pipeline=False)


def serve(app, socket):
    log = logging.getLogger("requests")
    log.setLevel(logging.CRITICAL)
    # Header names keep their case: ETag.
    eventlet.spawn(eventlet.wsgi.server, socket, app, log, protocol=SwiftHttpProtocol,
                   capitalize_response_headers=False)


def with_cache(app):
    def answer(env, start):
        env["swift.cache"] = Cache()
        return app(env, start)
    return answer


def listing_late(app):
    """Makes the server of the listings refuse some objects, as if it were too busy for a moment."""
    def answer(env, start):
        if env["REQUEST_METHOD"] == "PUT" and env["PATH_INFO"].rpartition("/")[2] in unlisted:
            start("503 Service Unavailable", [("Content-Length", "0")])
            return [b""]
        return app(env, start)
    return answer


def ask(method, path, body=b"", headers={}):
    """Sends a request to Swift itself, not to its S3 API."""
    path, _, query = path.partition("?")
    request = Request.blank(urllib.parse.quote(f"{ACCOUNT}/{path}"), method=method, body=body,
                            headers=headers)
    request.query_string = query
    response = request.get_response(inside)
    if response.status_int // 100 != 2 and response.status_int != 404:
        raise Exception(f"{method} {path}: {response.status} {response.body!r}")
    return response


def get(key):
    response = ask("GET", f"{BUCKET}/{key}")
    return base64.b64encode(response.body).decode() if response.status_int == 200 else None


def put(key, bytes):
    if bytes is None:
        ask("DELETE", f"{BUCKET}/{key}")
    else:
        ask("PUT", f"{BUCKET}/{key}", base64.b64decode(bytes))


def parts(prefix):
    """Returns what is kept of uploads in parts: KEY/UPLOAD until it ends, and KEY/UPLOAD/PART."""
    response = ask("GET", f"{BUCKET}+segments?format=json&prefix={urllib.parse.quote(prefix)}")
    return [each["name"] for each in json.loads(response.body)]


def orphan(key):
    """Begins an upload as if nobody had completed it for ten days."""
    ask("PUT", f"{BUCKET}+segments/{key}/b3JwaGFu", headers={
        "X-Timestamp": utils.Timestamp(time.time() - 10 * 24 * 60 * 60).internal})


def unlist(name):
    """Lists no object with the last component `name` that is stored from now on."""
    unlisted.add(name)


os.makedirs(f"{ROOT}/disks/disk")
write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n")
utils.set_swift_dir(ROOT)
for name in ("account", "container", "object"):
    socket = eventlet.listen(("127.0.0.1", 0))
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({"region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1",
                  "port": socket.getsockname()[1], "device": "disk"})
    ring.rebalance()
    ring.get_ring().save(f"{ROOT}/{name}.ring.gz")
    app = load(name, [], name)
    serve(listing_late(app) if name == "container" else app, socket)
inside = with_cache(load("inside", ["slo"], "proxy"))
socket = eventlet.listen(("127.0.0.1", 0))
serve(with_cache(load("proxy", FILTERS, "proxy")), socket)
for bucket in (BUCKET, f"{BUCKET}+segments"):
    ask("PUT", bucket)
print(json.dumps({"port": socket.getsockname()[1], "bucket": BUCKET,
                  "key": {"keyID": USER, "secret": SECRET}}), flush=True)
verbs = {"get": get, "put": put, "parts": parts, "orphan": orphan, "unlist": unlist}
while line := eventlet.tpool.execute(sys.stdin.readline):
    request = json.loads(line)
    try:
        answer = {"answer": verbs[request.pop("do")](**request)}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
disk.cleanup()
os._exit(0)
