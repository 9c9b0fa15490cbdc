"""A web server that asks every request for a login, and never accepts one.

Usage: login_server.py LOG [CHALLENGE…] [-- CHALLENGE…]. It logs the Authorization of each request,
or “none”, as a line of LOG, and answers 401 with the first challenges. If there is an
Authorization, it answers 401 with the challenges after “--”, or 404 if there are none. One that
begins with “say:” is the text of the answer instead. With
LOG --redirect SERVER, it redirects each request to that server. Prints its port and runs until its
standard input ends.
"""

import http.server
import sys
import threading

log_file, *challenges = sys.argv[1:]
rejections = []
redirect = challenges[1] if challenges[:1] == ["--redirect"] else None
if "--" in challenges:
    end = challenges.index("--")
    challenges, rejections = challenges[:end], challenges[end + 1 :]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        login = self.headers.get("Authorization")
        with open(log_file, "a") as log:
            log.write(f"{login or 'none'}\n")
        if redirect:
            self.send_response(302)
            self.send_header("Location", redirect + self.path)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(404 if login and not rejections else 401)
        body = b""
        for challenge in rejections if login and rejections else challenges:
            if challenge.startswith("say:"):
                body = challenge.removeprefix("say:").encode()
                self.send_header("Content-Type", "text/plain; charset=utf-8")
            else:
                self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_PUT = do_POST = do_PROPFIND = do_MKCOL = answer


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
