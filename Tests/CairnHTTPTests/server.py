"""A web server that misbehaves on demand. It prints its port and runs until its input ends."""

import base64
import hashlib
import http.server
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse


def body(count):
    return bytes(i * 31 % 251 for i in range(min(count, 251))) * (count // 251 + 1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def log_message(self, *_):
        pass

    def received(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline().strip(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, data=b"", headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        what, *rest = url.path.strip("/").split("/")
        data = self.received()
        getattr(self, "do_" + what)(rest, query, data)

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any

    def do_bytes(self, rest, query, data):
        whole = body(int(rest[0]))[: int(rest[0])]
        if "Range" in self.headers:
            start = int(self.headers["Range"].split("=")[1].split("-")[0])
            span = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
            return self.answer(206, whole[start:], {"Content-Range": span})
        self.answer(200, whole)

    def do_echo(self, rest, query, data):
        request = {
            "method": self.command,
            "path": self.path,
            "headers": {k.lower(): v for k, v in self.headers.items()},
            "size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        self.answer(200, json.dumps(request).encode())

    def do_status(self, rest, query, data):
        self.answer(int(rest[0]), b"refused" * int(query.get("times", 1)), {"Retry-After": query.get("after", "0")})

    def do_endless(self, rest, query, data):
        self.answer(int(rest[0]), b"", {"Content-Length": str(1 << 50)})
        while True:
            self.wfile.write(b"x" * (1 << 20))

    def do_cut(self, rest, query, data):
        count = int(rest[0])
        self.answer(200, body(count)[:count], {"Content-Length": str(count * 2)})
        self.close_connection = True

    def do_hangup(self, rest, query, data):
        self.connection.close()
        self.close_connection = True

    def do_garbage(self, rest, query, data):
        self.wfile.write(b"<p>Not an HTTP response.</p>\n" * 10)
        self.close_connection = True

    def do_stall(self, rest, query, data):
        self.answer(200, b"start", {"Content-Length": "1000"})
        self.wfile.flush()
        time.sleep(10)

    def do_headers(self, rest, query, data):
        self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\nHTTP/1.1 207 Multi Status\r\n")
        self.wfile.write("X-Empty:\r\nX-Spaces: \t a: b \t\r\nX-Text: é…\r\n".encode())
        self.wfile.write(b"Content-Length: 0\r\n\r\n")

    def do_redirect(self, rest, query, data):
        self.answer(int(query.get("status", 302)), b"elsewhere", {"Location": query["to"]})

    def do_private(self, rest, query, data):
        wanted = "Basic " + base64.b64encode(b"ann:p:w secret").decode()
        if self.headers.get("Authorization") == wanted:
            return self.answer(200, b"welcome")
        self.answer(401, b"who?", {"WWW-Authenticate": 'Basic realm="x"'})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
