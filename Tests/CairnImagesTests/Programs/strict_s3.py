"""A bucket that checks every hash and signature that it receives, and fails on demand.

Its only argument is JSON with what it expects. Its first line on stdout is its port. Then each line
on stdin is a request in JSON, to which it responds with one line. It runs until its stdin ends.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import urllib.parse
from xml.sax.saxutils import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EXPECTED = json.loads(sys.argv[1])
BUCKET, REGION = EXPECTED["bucket"], EXPECTED["region"]
lock = threading.Lock()
objects, uploads, faults, log = {}, {}, [], []
# With "versioned": by key, what each version has; None for a deletion.
versions = {}
initiated = {}


def digest(bytes):
    return base64.b64encode(hashlib.sha256(bytes).digest()).decode()


class Refusal(Exception):
    def __init__(self, status, code, message="no", headers={}):
        self.status, self.code, self.message, self.headers = status, code, message, headers


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", headers={}, length=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def fault(self):
        target = f"{self.command} {self.path}"
        with lock:
            for fault in faults:
                if fault["times"] > 0 and all(word in target for word in fault["match"]):
                    fault["times"] -= 1
                    return fault
        return {}

    def handle_one(self):
        path, _, query = self.path.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        if path.startswith("/-/credentials"):
            return self.send_credentials()
        if self.command in ("PUT", "POST") and "Content-Length" not in self.headers:
            self.close_connection = True
            return self.refuse(Refusal(411, "MissingContentLength"))
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        fault = self.fault()
        with lock:
            log.append({
                "method": self.command, "path": path, "query": self.query, "length": length,
                "headers": {name.lower(): value for name, value in self.headers.items()}})
        if fault.get("drop"):
            self.close_connection = True
            return
        if fault.get("flip"):
            body = bytes([body[0] ^ 1]) + body[1:]
        try:
            if "status" in fault:
                raise Refusal(fault["status"], fault["code"], fault.get("message", "no"),
                              fault.get("headers", {}))
            self.check(body)
            bucket, _, key = urllib.parse.unquote(path[1:]).partition("/")
            if bucket != BUCKET:
                raise Refusal(404, "NoSuchBucket")
            with lock:
                getattr(self, "do_" + self.command.lower())(key, body, fault)
        except Refusal as refusal:
            self.refuse(refusal)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

    def refuse(self, refusal):
        body = ""
        if refusal.code:
            body = (f"<?xml version='1.0'?>\n<Error><Code>{refusal.code}</Code>"
                    f"<Message>{refusal.message}</Message></Error>")
        self.answer(refusal.status, body.encode(), refusal.headers)

    def check(self, body):
        authorization = self.headers.get("Authorization", "")
        if not authorization:
            if EXPECTED.get("public") and self.command in ("GET", "HEAD"):
                return
            raise Refusal(403, "AccessDenied", "Access Denied")
        scheme, _, rest = authorization.partition(" ")
        fields = dict(field.split("=", 1) for field in rest.split(", "))
        key_id, _, region, service, end = fields["Credential"].split("/")
        if (scheme, service, end) != ("AWS4-HMAC-SHA256", "s3", "aws4_request"):
            raise Refusal(400, "AuthorizationHeaderMalformed")
        if region != REGION:
            raise Refusal(EXPECTED.get("wrongRegionStatus", 400), "AuthorizationHeaderMalformed",
                          f"the region '{region}' is wrong", {"x-amz-bucket-region": REGION})
        signed = fields["SignedHeaders"].split(";")
        wanted = {"host"} | {
            name.lower() for name in self.headers
            if name.lower().startswith("x-amz-") or name.lower() in ("if-none-match", "range")}
        if signed != sorted(signed) or not wanted <= set(signed):
            raise Refusal(403, "AccessDenied", "There were headers which were not signed")
        if key_id != EXPECTED["keyID"]:
            raise Refusal(403, "InvalidAccessKeyId", f"unknown {key_id}")
        if fields["Signature"] != self.signature(signed, region):
            raise Refusal(403, "SignatureDoesNotMatch")
        token = self.headers.get("x-amz-security-token")
        if token in EXPECTED.get("expired", []):
            raise Refusal(400, "ExpiredToken", f"The token {token} has expired.")
        if token != EXPECTED.get("token"):
            raise Refusal(400, "InvalidToken", f"The token {token} is malformed.")
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            raise Refusal(400, "XAmzContentSHA256Mismatch")
        if self.headers.get("x-amz-checksum-sha256", digest(body)) != digest(body):
            raise Refusal(400, "BadDigest")
        self.check_checksums()

    def check_checksums(self):
        """Rejects the headers with checksums, as some servers do: all, or those of parts."""
        found = [name for name in self.headers if name.lower().startswith("x-amz-checksum-")]
        if found and EXPECTED.get("checksums") == "rejected":
            raise Refusal(400, "InvalidArgument",
                          f"Unsupported header '{found[0]}' received for this API call.")
        if found and EXPECTED.get("checksums") and "partNumber" in self.query:
            raise Refusal(501, "NotImplemented",
                          f"Header '{found[0]}' with value 'x' not implemented")

    def signature(self, signed, region):
        path, _, query = self.path.partition("?")
        request = "\n".join(
            [self.command, path, "&".join(sorted(query.split("&")))]
            + [f"{name}:{self.headers[name].strip()}" for name in signed]
            + ["", ";".join(signed), self.headers["x-amz-content-sha256"]])
        date = self.headers["x-amz-date"]
        scope = f"{date[:8]}/{region}/s3/aws4_request"
        key = ("AWS4" + EXPECTED["secret"]).encode()
        for word in scope.split("/"):
            key = hmac.digest(key, word.encode(), "sha256")
        hash = hashlib.sha256(request.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hash}"
        return hmac.digest(key, text.encode(), "sha256").hex()

    def send_credentials(self):
        if self.headers.get("Authorization") != EXPECTED.get("serviceToken"):
            return self.answer(401)
        with lock:
            left = EXPECTED["serviceCredentials"]
            credentials = left.pop(0) if len(left) > 1 else left[0]
        self.answer(200, json.dumps(credentials).encode())

    def find(self, key):
        if key not in objects:
            if EXPECTED.get("listingDenied"):
                raise Refusal(403, "AccessDenied")
            raise Refusal(404, "NoSuchKey")

    def do_head(self, key, body, fault):
        self.find(key)
        self.answer(200, length=len(objects[key]))

    def listed(self):
        wanted = self.query["prefix"]
        return "".join(
            f"<Upload><Key>{escape(key)}</Key><UploadId>{id.replace('&', '&amp;')}</UploadId>"
            f"<Initiated>{initiated.get(id, '2100-01-01T00:00:00.000Z')}</Initiated></Upload>"
            for id, (key, _) in uploads.items() if key.startswith(wanted))

    def set(self, key, bytes):
        """Stores an object, or deletes it."""
        if bytes is None:
            objects.pop(key, None)
        else:
            objects[key] = bytes
        if EXPECTED.get("versioned"):
            versions.setdefault(key, {})[f"v&{len(log)}"] = bytes

    def listed_objects(self):
        """Lists the objects, as many for each response as "page" says."""
        start = self.query.get("continuation-token", "").removeprefix("after ")
        found = sorted(key for key in objects if key.startswith(self.query["prefix"]))
        found = [key for key in found if key > start]
        page = found[:EXPECTED.get("page", 1000)]
        text = "".join(f"<Contents><Key>{escape(key)}</Key><Size>{len(objects[key])}</Size>"
                       "</Contents>" for key in page)
        if len(found) > len(page):
            text += (f"<NextContinuationToken>after {escape(page[-1])}</NextContinuationToken>"
                     "<IsTruncated>true</IsTruncated>")
        else:
            text += "<IsTruncated>false</IsTruncated>"
        return f"<ListBucketResult xmlns='http://s3.amazonaws.com/doc/'>{text}</ListBucketResult>"

    def listed_versions(self):
        """Lists the versions, one for each response."""
        found = [
            (key, id, "Version" if bytes is not None else "DeleteMarker")
            for key, ids in versions.items() for id, bytes in ids.items()
        ] if EXPECTED.get("versioned") else [(key, "null", "Version") for key in objects]
        found = sorted(found)
        marker = (self.query.get("key-marker", ""), self.query.get("version-id-marker", ""))
        found = [each for each in found
                 if each[0].startswith(self.query["prefix"]) and each[:2] > marker]
        text = "".join(
            f"<{kind}><Key>{escape(key)}</Key><VersionId>{escape(id)}</VersionId></{kind}>"
            for key, id, kind in found[:1])
        if len(found) > 1:
            text += (f"<NextKeyMarker>{escape(found[0][0])}</NextKeyMarker>"
                     f"<NextVersionIdMarker>{escape(found[0][1])}</NextVersionIdMarker>")
        return text + f"<IsTruncated>{'true' if len(found) > 1 else 'false'}</IsTruncated>"

    def do_get(self, key, body, fault):
        if "list-type" in self.query:
            if EXPECTED.get("listingDenied"):
                raise Refusal(403, "AccessDenied")
            return self.answer(200, self.listed_objects().encode())
        if "versions" in self.query:
            if EXPECTED.get("noVersions"):
                raise Refusal(501, "NotImplemented")
            return self.answer(200, "<ListVersionsResult xmlns='http://s3.amazonaws.com/doc/'>"
                               f"{self.listed_versions()}</ListVersionsResult>".encode())
        if "uploads" in self.query:
            if EXPECTED.get("listingDenied"):
                raise Refusal(403, "AccessDenied")
            return self.answer(200, f"<ListMultipartUploadsResult>{self.listed()}"
                               "</ListMultipartUploadsResult>".encode())
        if "uploadId" in self.query:
            parts = "".join(
                f"<Part><PartNumber>{number}</PartNumber>"
                f"<ETag>&quot;{hashlib.md5(bytes).hexdigest()}&quot;</ETag>"
                f"<Size>{len(bytes)}</Size></Part>"
                for number, bytes in sorted(self.upload(key).items()))
            return self.answer(200, f"<ListPartsResult>{parts}</ListPartsResult>".encode())
        self.find(key)
        bytes, start = objects[key], 0
        headers, status = {}, 200
        range = self.headers.get("Range")
        if range and not fault.get("ignoreRange"):
            first, last = range.removeprefix("bytes=").split("-")
            start, end = int(first), min(int(last or len(bytes)), len(bytes) - 1)
            if start > end:
                raise Refusal(416, "InvalidRange")
            shown = start + fault.get("shift", 0)
            status, headers = 206, {"Content-Range": f"bytes {shown}-{end}/{len(bytes)}"}
            bytes = bytes[start:end + 1]
        if "cut" in fault:
            self.close_connection = True
            return self.answer(status, bytes[:fault["cut"]], headers, len(bytes))
        self.answer(status, bytes, headers)

    def only_new(self, key):
        if self.headers.get("If-None-Match"):
            if not EXPECTED.get("conditions", True):
                raise Refusal(501, "NotImplemented")
            if key in objects:
                raise Refusal(412, "PreconditionFailed")

    def do_put(self, key, body, fault):
        if "x-amz-checksum-sha256" not in self.headers and "checksums" not in EXPECTED:
            raise Refusal(400, "InvalidRequest", "no checksum")
        if "uploadId" in self.query:
            parts = self.upload(key)
            parts[int(self.query["partNumber"])] = body
        else:
            self.only_new(key)
            self.set(key, body)
        self.answer(200, headers={"ETag": f'"{hashlib.md5(body).hexdigest()}"'})

    def upload(self, key):
        if uploads.get(self.query["uploadId"], ("", {}))[0] != key:
            raise Refusal(404, "NoSuchUpload")
        return uploads[self.query["uploadId"]][1]

    def do_post(self, key, body, fault):
        if "uploads" in self.query:
            id = f"id/{len(log)}+&="
            uploads[id] = (key, {})
            return self.answer(200, (
                "<InitiateMultipartUploadResult><UploadId>" + id.replace("&", "&amp;")
                + "</UploadId></InitiateMultipartUploadResult>").encode())
        parts = self.upload(key)
        if fault.get("late"):
            return self.answer(200, b"<Error><Code>InternalError</Code></Error>")
        self.only_new(key)
        checksums = EXPECTED.get("partChecksums", "checksums" not in EXPECTED)
        if not checksums and b"Checksum" in body:
            raise Refusal(400, "MalformedXML")
        expected = "".join(
            f"<Part><PartNumber>{number}</PartNumber>"
            f"<ETag>&quot;{hashlib.md5(bytes).hexdigest()}&quot;</ETag>"
            + (f"<ChecksumSHA256>{digest(bytes)}</ChecksumSHA256>" if checksums else "") + "</Part>"
            for number, bytes in sorted(parts.items()))
        if expected not in body.decode():
            raise Refusal(400, "InvalidPart")
        self.set(key, b"".join(bytes for _, bytes in sorted(parts.items())))
        del uploads[self.query["uploadId"]]
        self.answer(200, b"<CompleteMultipartUploadResult><ETag>&quot;0-1&quot;</ETag>"
                    b"</CompleteMultipartUploadResult>")

    def do_delete(self, key, body, fault):
        if "versionId" in self.query:
            removed = versions.get(key, {}).pop(self.query["versionId"], None)
            if removed is None or objects.get(key) == removed:
                objects.pop(key, None)
            return self.answer(204)
        if "uploadId" not in self.query:
            self.set(key, None)
            return self.answer(204)
        self.upload(key)
        del uploads[self.query["uploadId"]]
        self.answer(204)


def get(key):
    return base64.b64encode(objects[key]).decode() if key in objects else None


def put(key, bytes):
    objects.pop(key, None)
    if bytes is not None:
        objects[key] = base64.b64decode(bytes)


def orphan(key):
    uploads["orphan"] = (key, {})
    initiated["orphan"] = "2020-01-02T03:04:05.000Z"


def hide(key):
    """Deletes an object without its versions, as other programs do."""
    objects.pop(key, None)
    versions.setdefault(key, {})["deletion"] = None


def dump(directory):
    """Writes everything that is stored to files: objects, all their versions, and parts of uploads.
    Returns how many files there are."""
    found = list(objects.values())
    found += [bytes for ids in versions.values() for bytes in ids.values() if bytes is not None]
    found += [bytes for _, parts in uploads.values() for bytes in parts.values()]
    os.makedirs(directory, exist_ok=True)
    for number, bytes in enumerate(found):
        with open(os.path.join(directory, str(number)), "wb") as file:
            file.write(bytes)
    return len(found)


def take_log():
    taken = log[:]
    log.clear()
    return taken


verbs = {
    "get": get, "put": put, "orphan": orphan, "hide": hide, "dump": dump,
    "versions": lambda: sum(len(ids) for ids in versions.values()), "log": take_log,
    "uploads": lambda: len(uploads),
    "fail": lambda fault: faults.append({"times": 1, "match": [], **fault})}
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
for line in sys.stdin:
    request = json.loads(line)
    verb = request.pop("do")
    with lock:
        print(json.dumps({"answer": verbs[verb](**request)}), flush=True)
os._exit(0)
