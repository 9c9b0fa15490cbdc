"""Answers the batch requests of Git LFS; nginx stores and serves the objects.

Usage: server.py DIRECTORY. Prints its port. The first component of a path names the repository.
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

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        repository, operation = self.path.split("/")[1], request["operation"]
        objects = []
        for one in request["objects"]:
            there = os.path.exists(os.path.join(root, repository, one["oid"]))
            if there == (operation == "upload"):
                objects.append(one if there else {**one, "error": {"code": 404, "message": "no"}})
            else:
                href = f"http://{self.headers['Host']}/{repository}/{one['oid']}"
                objects.append({**one, "authenticated": True, "actions": {operation: {"href": href}}})
        found = self.path.endswith("/objects/batch")
        body = json.dumps({"transfer": "basic", "objects": objects} if found else {}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/vnd.git-lfs+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
