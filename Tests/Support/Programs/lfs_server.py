"""A Git LFS server that checks everything and misbehaves on demand.

Usage: lfs_server.py DIRECTORY PLAN, where PLAN is a JSON object:
  token       the Authorization that the batch API accepts; others get 401
  challenge   the WWW-Authenticate of that 401
  batch       the maximum number of objects in a batch request; more get 413
  busy        how many batch requests get 429 first
  broken      how many transfers get 503 first
  cut         how many transfers are cut off halfway first
  expired     how many batch requests get actions that have expired first
  lasts       how many downloads succeed before all others get 503
  redirect    how many uploads are redirected first
  too_large   uploads of more bytes than this get 413
  refusal     all uploads get 403 with this text
  forbidden   all batch requests get 403 with this text
  rejection   all images are rejected with this text
  query       the addresses of uploads and downloads end with “?” and this text
  login       what requests to them authorize themselves with; otherwise “Bearer of this object”
  ranges      false: Range is ignored
  parts       larger uploads are asked for in parts of this many bytes, as Hugging Face does
Prints its port, logs one line per request to DIRECTORY/log and runs until its standard input ends.
"""

import hashlib
import http.server
import json
import os
import sys
import threading

directory, plan = sys.argv[1], json.loads(sys.argv[2])
lock = threading.Lock()
# What was uploaded in parts, by the object and the number of the part.
parts = {}


def take(key):
    with lock:
        left = plan.get(key, 0)
        plan[key] = max(0, left - 1)
        return left > 0


def login():
    return plan.get("login", "Bearer of this object")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def note(self, word, detail=""):
        with lock, open(os.path.join(directory, "log"), "a") as log:
            log.write(f"{word} {detail}\n")

    def answer(self, status, body=b"", headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def path_of(self, oid):
        assert len(oid) == 64 and all(c in "0123456789abcdef" for c in oid)
        return os.path.join(directory, "objects", oid)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Accept"] == "application/vnd.git-lfs+json"
        request = json.loads(body)
        if self.path.endswith("/verify"):
            path = self.path_of(request["oid"])
            whole = os.path.exists(path) and os.path.getsize(path) == request["size"]
            self.note("verify", request["oid"])
            return self.answer(200 if whole else 404)
        if self.path.startswith("/complete/"):
            return self.complete(request)
        self.note("batch", f"{request['operation']} {len(request['objects'])}")
        if plan.get("token") and self.headers["Authorization"] != plan["token"]:
            self.note("login", self.headers["Authorization"] or "none")
            challenge = plan.get("challenge")
            return self.answer(
                401, b'{"message": "who are you?"}',
                {"WWW-Authenticate": challenge} if challenge else {})
        if token := self.headers.get("X-Token"):
            self.note("token", token)
        if take("busy"):
            return self.answer(429, b'{"message": "slow down"}', {"Retry-After": "0"})
        if "forbidden" in plan:
            return self.answer(403, json.dumps({"message": plan["forbidden"]}).encode())
        if plan.get("parts") and request["operation"] == "upload":
            assert "multipart" in request["transfers"]
        if len(request["objects"]) > plan.get("batch", 1000):
            return self.answer(413, b'{"message": "too many"}')
        ends = -10 if take("expired") else 600
        objects = [self.object(request["operation"], one, ends) for one in request["objects"]]
        self.answer(
            200, json.dumps({"transfer": self.transfer(request), "objects": objects}).encode(),
            {"Content-Type": "application/vnd.git-lfs+json"})

    def transfer(self, request):
        return "multipart" if plan.get("parts") and request["operation"] == "upload" else "basic"

    def in_parts(self, base, one):
        """Returns an upload action that asks for parts."""
        size = plan["parts"]
        urls = {
            f"{number + 1:05}": f"{base}/parts/{one['oid']}/{number + 1}"
            for number in range(-(-one["size"] // size))
        }
        return {
            "href": f"{base}/complete/{one['oid']}", "header": {"chunk_size": str(size), **urls},
            "expires_in": 600,
        }

    def put_part(self, length):
        _, _, oid, number = self.path.split("/")
        assert not self.headers["Authorization"]
        if take("cut"):
            self.rfile.read(length // 2)
            self.close_connection = True
            return self.connection.close()
        body = self.rfile.read(length)
        if len(body) < length:
            return
        self.note("part", f"{oid} {number} {length}")
        with lock:
            parts[oid, int(number)] = body
        self.answer(200, headers={"ETag": f'"{hashlib.md5(body).hexdigest()}"'})

    def complete(self, request):
        oid = request["oid"]
        with lock:
            bodies = [parts[oid, part["partNumber"]] for part in request["parts"]]
        tags = [f'"{hashlib.md5(body).hexdigest()}"' for body in bodies]
        body = b"".join(bodies)
        if tags != [part["etag"] for part in request["parts"]]:
            return self.answer(400)
        if hashlib.sha256(body).hexdigest() != oid:
            return self.answer(422)
        self.note("complete", oid)
        with open(self.path_of(oid), "wb") as file:
            file.write(body)
        self.answer(200)

    def object(self, operation, one, ends):
        if "rejection" in plan:
            return {**one, "error": {"code": 422, "message": plan["rejection"]}}
        path = self.path_of(one["oid"])
        there = os.path.exists(path)
        if operation == "download" and not there:
            return {**one, "error": {"code": 404, "message": "not here"}}
        if operation == "upload" and there:
            return one
        # The host that the client used, which may be a proxy.
        base = f"http://{self.headers['Host']}"
        actions = {
            operation: {
                "href": f"{base}/objects/{one['oid']}" + ("?" + plan["query"] if "query" in plan else ""),
                "header": {"Authorization": login()},
                "expires_in": ends,
            }
        }
        if operation == "upload" and one["size"] > plan.get("parts", one["size"]):
            actions["upload"] = self.in_parts(base, one)
        if operation == "upload":
            actions["verify"] = {"href": f"{base}/verify", "header": {"X-Verify": "yes"}}
        return {**one, "authenticated": True, "actions": actions}

    def do_PUT(self):
        if take("broken"):
            self.close_connection = True
            return self.answer(503)
        length = int(self.headers["Content-Length"])
        if self.path.startswith("/parts/"):
            return self.put_part(length)
        oid = self.path.partition("?")[0].rsplit("/", 1)[1]
        assert self.headers["Authorization"] == login()
        if take("redirect"):
            self.rfile.read(length)
            return self.answer(307, headers={"Location": "/moved" + self.path})
        if length > plan.get("too_large", length):
            self.rfile.read(length)
            return self.answer(413)
        if "refusal" in plan:
            self.rfile.read(length)
            return self.answer(403, plan["refusal"].encode(), {"Content-Type": "text/plain"})
        if take("cut"):
            self.rfile.read(length // 2)
            self.close_connection = True
            return self.connection.close()
        body = self.rfile.read(length)
        if len(body) < length or hashlib.sha256(body).hexdigest() != oid:
            return self.answer(422)
        self.note("put", f"{oid} {len(body)}")
        os.makedirs(os.path.join(directory, "objects"), exist_ok=True)
        part = self.path_of(oid) + ".part"
        with open(part, "wb") as file:
            file.write(body)
        os.rename(part, self.path_of(oid))
        self.answer(200)

    def do_GET(self):
        oid = self.path.partition("?")[0].rsplit("/", 1)[1]
        assert self.headers["Authorization"] == login()
        if take("broken") or "lasts" in plan and not take("lasts"):
            return self.answer(503)
        with open(self.path_of(oid), "rb") as file:
            body = file.read()
        wanted = self.headers["Range"] if plan.get("ranges", True) else None
        self.note("get", f"{oid} {wanted or ''}")
        start = int(wanted.split("=")[1].split("-")[0]) if wanted else 0
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        rest = body[start:]
        if take("cut"):
            self.wfile.write(rest[: len(rest) // 2])
            self.close_connection = True
            return self.connection.close()
        self.wfile.write(rest)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
