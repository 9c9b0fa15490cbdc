"""A Git LFS server for measuring its clients: no checks, and no copies that are not needed.

Usage: server.py DIRECTORY. Prints its port; each first part of a path is a repository of its own.
"""

import http.server
import json
import os
import sys

root = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Type", "application/vnd.git-lfs+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self):
        repository, oid = self.path.split("/")[1:3]
        return os.path.join(root, repository, oid)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/objects/batch"):
            return self.answer(404, b"{}")
        repository, operation = self.path.split("/")[1], request["operation"]
        os.makedirs(os.path.join(root, repository), exist_ok=True)
        objects = []
        for one in request["objects"]:
            there = os.path.exists(os.path.join(root, repository, one["oid"]))
            if there == (operation == "upload"):
                objects.append(one if there else {**one, "error": {"code": 404, "message": "no"}})
            else:
                href = f"http://{self.headers['Host']}/{repository}/{one['oid']}"
                objects.append({**one, "authenticated": True, "actions": {operation: {"href": href}}})
        self.answer(200, json.dumps({"transfer": "basic", "objects": objects}).encode())

    def do_PUT(self):
        left, buffer = int(self.headers["Content-Length"]), memoryview(bytearray(1 << 18))
        with open(self.file() + ".part", "wb", buffering=0) as file:
            while left and (count := self.rfile.readinto(buffer[: min(left, len(buffer))])):
                file.write(buffer[:count])
                left -= count
        os.rename(self.file() + ".part", self.file())
        self.answer(200)

    def do_GET(self):
        with open(self.file(), "rb") as file:
            self.send_response(200)
            self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
            self.end_headers()
            self.wfile.flush()
            self.connection.sendfile(file)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
