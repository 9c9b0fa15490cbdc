"""A labeling service that answers immediately, for measuring its client. Prints its port.

It answers every photo with two scores; `GET /most` returns the peak number of concurrent requests.
"""

import http.server
import json
import threading

lock, inside, most = threading.Lock(), 0, 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(most)

    def do_POST(self):
        global inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer([{"label": "tree", "score": 0.75}, {"label": "lake", "score": 0.25}])
        with lock:
            inside -= 1


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
