"""Answers like labeling services, in the formats that their documentation shows.

It prints its port and runs until its stdin is closed. The first component of the path selects the
service, the second its behavior: `ok` or a misbehavior below. It appends each request, with the
number in flight, as a line of JSON to the file that the first argument names.
"""

import base64
import hashlib
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse

LOG = open(sys.argv[1], "a", buffering=1)
# The services refuse requests without this key.
KEY = sys.argv[2] if len(sys.argv) > 2 else None
lock = threading.Lock()
inside = 0
seen = {}
# Requests wait here for each other, so that the number in flight can be counted.
gathered = threading.Event()


def scores(data):
    """Returns two scores that depend only on the image's bytes."""
    first = hashlib.sha256(data).digest()[0] / 255 * 0.8 + 0.1
    return round(first, 4), round(1 - first, 4)


class Refused(Exception):
    def __init__(self, status, body, headers=None):
        self.status, self.body, self.headers = status, body, headers or {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers={}):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Type" not in headers:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        global inside
        url = urllib.parse.urlsplit(self.path)
        service, behavior, *rest = url.path.strip("/").split("/")
        self.behavior = behavior
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            inside += 1
            count = inside
            name = hashlib.sha256(data).hexdigest()
            seen[name] = seen.get(name, 0) + 1
            times = seen[name]
            # How many other images, and how many requests, came before this one.
            self.place, self.turn = list(seen).index(name), sum(seen.values()) - 1
        LOG.write(json.dumps({
            "method": self.command, "service": service, "behavior": behavior,
            "path": "/" + "/".join(rest), "query": url.query,
            "type": self.headers.get("Content-Type"), "at once": count, "times": times,
            "bytes": len(data),
        }) + "\n")
        try:
            self.misbehave(behavior, service, times)
            query = dict(urllib.parse.parse_qsl(url.query))
            status, body = getattr(self, "do_" + service.replace("-", "_"))(rest, query, data)
            self.answer(status, body)
        except Refused as refused:
            self.answer(refused.status, refused.body, refused.headers)
        except ConnectionError:
            pass
        finally:
            with lock:
                inside -= 1

    do_GET = do_POST = handle_any

    def misbehave(self, behavior, service, times):
        if behavior == "together":
            # Waits until eight requests are in flight; the timeout ends a failing test.
            if inside >= 8:
                gathered.set()
            gathered.wait(timeout=60)
        elif behavior == "busy" and times == 1:
            raise Refused(429, ERRORS.get(service, {}), {"Retry-After": "0"})
        elif behavior == "flaky" and times < 3:
            raise Refused(503, b"<html>busy</html>", {"Content-Type": "text/html"})
        elif behavior == "down":
            raise Refused(503, ERRORS.get(service, {}))
        elif behavior == "html":
            raise Refused(200, b"<!DOCTYPE html><html><body>Sign in</body></html>")
        elif behavior == "nothing":
            raise Refused(200, b"")
        elif behavior == "nan":
            raise Refused(200, b'[{"label": "cat", "score": NaN}]')
        elif behavior == "text":
            raise Refused(200, b"I think it is a cat")
        elif behavior == "percent":
            raise Refused(200, [{"label": "cat", "score": 85.2}])
        elif behavior == "file":
            raise Refused(302, b"", {"Location": "file:///etc/passwd"})
        elif behavior == "elsewhere":
            raise Refused(307, b"", {"Location": "http://localhost:9/steal"})
        elif behavior == "port":
            raise Refused(307, b"", {"Location": "http://127.0.0.1:9/steal"})
        elif behavior == "https":
            port = self.server.server_address[1]
            raise Refused(308, b"", {"Location": f"https://127.0.0.1:{port}/{service}/ok"})
        elif behavior == "person":
            port = self.server.server_address[1]
            raise Refused(308, b"", {"Location": f"http://me:pw@127.0.0.1:{port}/{service}/ok"})
        elif behavior == "tires" and self.place >= 5:
            raise Refused(200, [{"label": "cat", "score": 1.5}])
        elif behavior == "slips" and self.place % 5 == 0:
            raise Refused(200, [{"label": "cat", "score": 1.5}])
        elif behavior == "moved":
            raise Refused(308, b"", {"Location": "/" + service + "/ok"})
        elif behavior == "silent" or behavior == "stalls" and self.place >= 3:
            time.sleep(30)
        elif behavior == "rests" and self.place >= 3:
            raise Refused(429, ERRORS.get(service, {}), {"Retry-After": "60"})
        elif behavior == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(300):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
        elif behavior == "huge":
            raise Refused(200, b"[" + b" " * (3 << 20) + b"]")
        elif behavior == "echo":
            # A service that repeats the request's headers, including the key.
            text = " ".join(f"{k}: {v}" for k, v in self.headers.items())
            raise Refused(400, {"error": {"message": text}, "message": text})
        elif behavior in ("slashed", "quoted", "shouted", "credited"):
            text = self.headers.get("Authorization", "")
            if behavior == "credited":
                raise Refused(200, [{"label": text, "score": 0.5}])
            if behavior == "slashed":
                text = json.dumps(text).replace("/", "\\/")
            elif behavior == "quoted":
                text = json.dumps(urllib.parse.quote(text, safe=""))
            else:
                text = json.dumps(text.upper())
            raise Refused(400, b'{"error": ' + text.encode() + b"}")
        elif behavior == "error":
            status, body = REFUSALS[service]
            raise Refused(status, body)

    # MARK: what services require

    def need(self, isThere, service):
        if not isThere:
            raise Refused(401, ERRORS.get(service, {"error": "who are you?"}))

    def image(self, data):
        if data[:8] != b"\x89PNG\r\n\x1a\n" and data[:2] != b"\xff\xd8":
            raise Refused(400, {"error": "no image"})
        return scores(data)

    def given(self, url):
        """Returns the scores for an address instead of an image; they depend on the address."""
        if not url or not url.startswith("https://images.example.org/"):
            raise Refused(400, {"error": {"message": "no address"}})
        return scores(url.encode())

    # MARK: services

    def do_azure_image_analysis(self, rest, query, data):
        self.need(self.headers.get("Ocp-Apim-Subscription-Key") == KEY, "azure-image-analysis")
        assert rest == ["computervision", "imageanalysis:analyze"], rest
        assert query["api-version"] == "2023-10-01" and query["features"] == "tags,caption", query
        if self.headers["Content-Type"] == "application/json":
            a, b = self.given(json.loads(data)["url"])
        else:
            assert self.headers["Content-Type"] == "application/octet-stream"
            a, b = self.image(data)
        return 200, {
            "modelVersion": "2023-10-01",
            "captionResult": {"text": "a tree in a park", "confidence": 0.7731},
            "metadata": {"width": 8, "height": 8},
            "tagsResult": {"values": [
                {"name": "tree", "confidence": a}, {"name": "outdoor", "confidence": b}]},
        }

    def do_azure_custom_vision(self, rest, query, data):
        self.need(self.headers.get("Prediction-Key") == KEY, "azure-custom-vision")
        assert rest[:6] == ["customvision", "v3.1", "Prediction", "p-1", "classify", "iterations"], rest
        assert rest[6] == "Iteration 7".replace(" ", "%20"), rest
        if rest[7] == "url":
            a, b = self.given(json.loads(data)["Url"])
        else:
            assert rest[7] == "image"
            a, b = self.image(data)
        return 200, {
            "id": "1", "project": "p-1", "iteration": "7", "created": "2026-11-22T00:00:00.000Z",
            "predictions": [
                {"tagId": "t1", "tagName": "tree", "probability": a, "tagType": "Regular"},
                {"tagId": "t2", "tagName": "outdoor", "probability": b, "tagType": "Regular"}],
        }

    def do_google_vision(self, rest, query, data):
        self.need(self.headers.get("X-Goog-Api-Key") == KEY and not query, "google-vision")
        assert rest == ["v1", "images:annotate"], rest
        (request,) = json.loads(data)["requests"]
        assert request["features"][0]["type"] == "LABEL_DETECTION"
        image = request["image"]
        if "content" in image:
            a, b = self.image(base64.b64decode(image["content"], validate=True))
        else:
            a, b = self.given(image["source"]["imageUri"])
        return 200, {"responses": [{"labelAnnotations": [
            {"mid": "/m/07j7r", "description": "tree", "score": a, "topicality": a},
            {"mid": "/m/0h8", "description": "outdoor", "score": b, "topicality": b}]}]}

    def do_clarifai(self, rest, query, data):
        self.need(self.headers.get("Authorization") == f"Key {KEY}", "clarifai")
        assert rest == "v2/users/clarifai/apps/main/models/general-image-recognition/outputs".split("/"), rest
        image = json.loads(data)["inputs"][0]["data"]["image"]
        if "base64" in image:
            a, b = self.image(base64.b64decode(image["base64"], validate=True))
        else:
            a, b = self.given(image["url"])
        status = {"code": 10000, "description": "Ok"}
        return 200, {"status": status, "outputs": [{
            "id": "o", "status": status, "model": {"id": "m", "model_version": {"id": "aa7f"}},
            "data": {"concepts": [
                {"id": "ai_1", "name": "tree", "value": a, "app_id": "main"},
                {"id": "ai_2", "name": "outdoor", "value": b, "app_id": "main"}]}}]}

    def do_hugging_face(self, rest, query, data):
        self.need(self.headers.get("Authorization") == f"Bearer {KEY}", "hugging-face")
        assert rest == ["models", "google", "vit-base"], rest
        assert self.headers["Content-Type"].startswith("image/")
        a, b = self.image(data)
        return 200, [{"label": "outdoor", "score": b}, {"label": "tree", "score": a}]

    def do_tensorflow_serving(self, rest, query, data):
        assert rest == ["v1", "models", "trees", "versions", "3:predict"], rest
        (instance,) = json.loads(data)["instances"]
        a, b = self.image(base64.b64decode(instance["b64"], validate=True))
        return 200, {"predictions": [[a, b]]}

    def do_tensorflow_serving_classify(self, rest, query, data):
        assert rest == ["v1", "models", "trees:classify"], rest
        (example,) = json.loads(data)["examples"]
        a, b = self.image(base64.b64decode(example["image"]["b64"], validate=True))
        return 200, {"result": [[["tree", a], ["outdoor", b]]]}

    def do_torchserve(self, rest, query, data):
        assert rest == ["predictions", "trees"], rest
        a, b = self.image(data)
        return 200, {"tree": a, "outdoor": b}

    def do_kserve(self, rest, query, data):
        assert rest == ["v2", "models", "trees", "infer"], rest
        (tensor,) = json.loads(data)["inputs"]
        assert tensor["datatype"] == "BYTES" and tensor["shape"] == [1] and tensor["name"] == "image"
        a, b = self.image(base64.b64decode(tensor["data"][0], validate=True))
        # With “updates”, the version changes after ten requests.
        version = "2" if self.behavior == "updates" and self.turn >= 10 else "1"
        return 200, {"model_name": "trees", "model_version": version, "outputs": [
            {"name": "probabilities", "datatype": "FP32", "shape": [1, 2], "data": [a, b]}]}

    def do_triton(self, rest, query, data):
        assert rest == ["v2", "models", "trees", "infer"], rest
        body = json.loads(data)
        assert body["outputs"][0]["parameters"]["classification"] == 20
        a, b = self.image(base64.b64decode(body["inputs"][0]["data"][0], validate=True))
        return 200, {"model_name": "trees", "model_version": "1", "outputs": [
            {"name": "probabilities", "datatype": "BYTES", "shape": [1, 2],
             "data": [f"{a}:0:tree", f"{b}:1:outdoor"]}]}

    def do_imagga(self, rest, query, data):
        wanted = "Basic " + base64.b64encode(f"{KEY}:other".encode()).decode()
        self.need(self.headers.get("Authorization") == wanted, "imagga")
        assert rest == ["v2", "tags"], rest
        if self.command == "GET":
            a, b = self.given(query["image_url"])
        else:
            kind, boundary = self.headers["Content-Type"].split("; boundary=")
            assert kind == "multipart/form-data"
            _, part, end = data.split(b"--" + boundary.encode())
            head, _, body = part.partition(b"\r\n\r\n")
            assert b'name="image"' in head and end == b"--\r\n", (head, end)
            a, b = self.image(body[:-2])
        return 200, {
            "result": {"tags": [
                {"confidence": round(a * 100, 2), "tag": {"en": "tree"}},
                {"confidence": round(b * 100, 2), "tag": {"en": "outdoor"}}]},
            "status": {"text": "", "type": "success"},
        }

    def do_plain(self, rest, query, data):
        if self.headers["Content-Type"] == "application/json":
            a, b = self.given(json.loads(data)["url"])
        else:
            a, b = self.image(data)
        return 200, [{"label": "tree", "score": a}, {"label": "outdoor", "score": b}]


# The services' answers to a wrong key or when a limit is reached.
ERRORS = {
    "azure-image-analysis": {"error": {"code": "401", "message": "Access denied due to invalid subscription key."}},
    "azure-custom-vision": {"code": "Unauthorized", "message": "Access denied due to invalid subscription key."},
    "google-vision": {"error": {"code": 403, "message": "The request is missing a valid API key.", "status": "PERMISSION_DENIED"}},
    "clarifai": {"status": {"code": 11009, "description": "API key not found", "details": "API key not found."}},
    "hugging-face": {"error": "Authorization header is correct, but the token seems invalid"},
    "imagga": {"status": {"text": "You are not authorized to access this resource.", "type": "error"}},
    "plain": {"error": "who are you?"},
}

# Their documented errors about an image, some of them with status 200.
REFUSALS = {
    "azure-image-analysis": (400, {"error": {"code": "InvalidRequest", "message": "The provided image is bad.",
        "innererror": {"code": "InvalidImageSize", "message": "Image size is too small."}}}),
    "azure-custom-vision": (400, {"code": "BadRequestImageFormat", "message": "Bad Request Image Format"}),
    "google-vision": (200, {"responses": [{"error": {"code": 3, "message": "Bad image data."}}]}),
    "clarifai": (200, {"status": {"code": 10020, "description": "Failure"}, "outputs": [
        {"status": {"code": 30002, "description": "Download failed", "details": "check URL"}}]}),
    "hugging-face": (400, {"error": ["Error in `inputs`: cannot identify image file"]}),
    "tensorflow-serving": (400, {"error": "Expected image (JPEG, PNG, or GIF), got unknown format"}),
    "tensorflow-serving-classify": (400, {"error": "Expected image (JPEG, PNG, or GIF), got unknown format"}),
    "torchserve": (500, {"code": 500, "type": "InternalServerException", "message": "Prediction failed"}),
    "kserve": (400, {"error": "unexpected shape for input 'image'"}),
    "triton": (400, {"error": "unexpected shape for input 'image'"}),
    "imagga": (200, {"result": {}, "status": {"text": "Unsupported file type.", "type": "error"}}),
    "plain": (200, {"error": "no image"}),
}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            LOG.write(json.dumps({"fault": repr(error)}) + "\n")


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
