"""git-lfs-transfer, which transfers the objects of a repository over its input and output.

It is written from the specification alone (git-lfs, docs/proposals/ssh_adapter.md), and refuses what
that does not allow. Objects are in `lfs/objects` of the repository, as git-lfs keeps them.

Usage: lfs_transfer.py [--log FILE] [--fault NAME] [--tokens] PATH OPERATION

With --tokens, it wants to see the ids and the tokens again that it has given to objects; git-lfs does
not send them.
"""

import argparse
import hashlib
import os
import re
import sys
import tempfile

FLUSH, DELIMITER = "flush", "delimiter"


class Refusal(Exception):
    """A request that gets this status, and a message."""


class Server:
    def __init__(self, options):
        self.options = options
        self.fault = options.fault
        self.input, self.output = sys.stdin.buffer, sys.stdout.buffer
        self.store = os.path.join(options.path, "lfs")

    # Packets

    def read(self):
        digits = self.input.read(4)
        if len(digits) < 4:
            sys.exit(0 if not digits else "the input ends in a packet")
        if not re.fullmatch(rb"[0-9a-f]{4}", digits):
            sys.exit(f"not a packet: {digits!r}")
        length = int(digits, 16)
        if length < 4:
            return {0: FLUSH, 1: DELIMITER}[length]
        if length > 65519:
            sys.exit("a packet is too long")
        content = self.input.read(length - 4)
        if len(content) < length - 4:
            sys.exit("the input ends in a packet")
        return content

    def lines(self, end):
        lines = []
        while (packet := self.read()) != end:
            if not isinstance(packet, bytes) or not packet.endswith(b"\n"):
                raise Refusal(400, "not a line")
            lines.append(packet[:-1].decode())
        return lines

    def write(self, *packets):
        for packet in packets:
            if packet == FLUSH:
                self.output.write(b"0000")
            elif packet == DELIMITER:
                self.output.write(b"0001")
            else:
                data = packet if isinstance(packet, bytes) else packet.encode() + b"\n"
                self.output.write(b"%04x" % (len(data) + 4) + data)
        self.output.flush()

    # Objects

    def path(self, oid):
        if not re.fullmatch("[0-9a-f]{64}", oid):
            raise Refusal(422, "not an id")
        return os.path.join(self.store, "objects", oid[:2], oid[2:4], oid)

    def size(self, oid):
        path = self.path(oid)
        return os.path.getsize(path) if os.path.isfile(path) else None

    def arguments(self, lines, oid):
        """Returns the size among the arguments, which must have what the batch gave."""
        arguments = dict(line.split("=", 1) for line in lines)
        if self.options.tokens and (
            arguments.get("id") != f"id+{oid[:8]}=" or arguments.get("token") != self.token()
        ):
            raise Refusal(403, "another id or token than that of the batch")
        if not arguments.get("size", "").isdigit():
            raise Refusal(400, "no size")
        return int(arguments["size"])

    def token(self):
        return f"{self.options.operation}?!/"

    def once(self, name):
        """Whether a fault of this name is to occur now, for the first time."""
        if self.fault != name:
            return False
        try:
            os.close(os.open(self.options.path + f"/{name}-occurred", os.O_CREAT | os.O_EXCL))
            return True
        except FileExistsError:
            return False

    # Requests

    def version(self, number):
        self.lines(FLUSH)
        if number != "1":
            raise Refusal(400, "unknown version")
        self.write("status 200", DELIMITER, FLUSH)

    def batch(self):
        arguments = dict(line.split("=", 1) for line in self.lines(DELIMITER))
        objects = [line.split(" ")[:2] for line in self.lines(FLUSH)]
        if arguments.get("transfer") != "ssh" or arguments.get("hash-algo") != "sha256":
            raise Refusal(422, "another transfer or hash")
        if self.once("busy"):
            raise Refusal(503, "busy")
        answer = []
        for oid, size in objects:
            found = self.size(oid)
            is_there = found is not None
            action = "noop"
            if self.options.operation == "upload" and not is_there:
                action = "upload"
            elif self.options.operation == "download" and is_there:
                action = "download"
            line = f"{oid} {found if is_there else size} {action}"
            if action != "noop" and self.options.tokens:
                line += f" id=id+{oid[:8]}= token={self.token()} expires-in=600"
            answer.append(line)
        if self.fault == "omits":
            answer.pop()
        if self.fault == "line":
            answer[0] = "words"
        hash = "sha1" if self.fault == "hash" else "sha256"
        self.write("status 200", f"hash-algo={hash}", DELIMITER, *answer, FLUSH)

    def get(self, oid):
        self.arguments(self.lines(FLUSH), oid)
        size = self.size(oid)
        if size is None:
            raise Refusal(404, "there is no such object")
        if self.fault == "endless":
            self.write("status 500", DELIMITER)
            while True:
                self.write("words")
        self.write("status 200", f"size={size}", DELIMITER)
        with open(self.path(oid), "rb") as file:
            while piece := file.read(65515):
                if self.fault == "other":
                    piece = bytes(len(piece))
                if self.fault == "cut":
                    self.output.write(b"%04x" % (len(piece) + 4) + piece[:1000])
                    self.output.flush()
                    sys.exit(1)
                self.write(piece)
        if self.fault == "long":
            self.write(b"more")
        if self.fault == "empty":
            while True:
                self.write(b"")
        self.write(FLUSH)

    def put(self, oid):
        size = self.arguments(self.lines(DELIMITER), oid)
        path = self.path(oid)
        os.makedirs(os.path.join(self.store, "incomplete"), exist_ok=True)
        digest = hashlib.sha256()
        with tempfile.NamedTemporaryFile(dir=os.path.join(self.store, "incomplete")) as file:
            while (packet := self.read()) != FLUSH:
                digest.update(packet)
                file.write(packet)
            file.flush()
            if self.fault == "full":
                raise Refusal(507, "no space is left")
            if self.fault == "denied" or self.once("expired"):
                raise Refusal(403, "not now")
            if os.path.getsize(file.name) != size or digest.hexdigest() != oid:
                raise Refusal(400, "another object")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                os.link(file.name, path)
            except FileExistsError:
                raise Refusal(409, "the object exists") from None
        self.write("status 200", FLUSH)

    def verify(self, oid):
        size = self.arguments(self.lines(FLUSH), oid)
        if self.fault == "unverified" or self.size(oid) != size:
            raise Refusal(404, "it is not there")
        self.write("status 200", FLUSH)

    def serve(self):
        if self.fault == "text":
            self.output.write(b"Welcome!\n")
        self.write("version=2" if self.fault == "version" else "version=1", "unknown=a,b", FLUSH)
        if self.fault == "packet":
            self.output.write(b"zzzz")
            self.output.flush()
        is_upload = self.options.operation == "upload"
        while True:
            request = self.request()
            self.log(request)
            name, *words = request.split(" ")
            try:
                if name == "version" and len(words) == 1:
                    self.version(words[0])
                elif name == "batch":
                    self.batch()
                elif name == "get-object" and not is_upload:
                    self.get(*words)
                elif name == "put-object" and is_upload:
                    self.put(*words)
                elif name == "verify-object" and is_upload:
                    self.verify(*words)
                elif name == "quit":
                    self.lines(FLUSH)
                    self.write("status 200", FLUSH)
                    return
                elif name in ("list-lock", "list-locks"):
                    # The client of git-lfs has its own name for it.
                    self.lines(FLUSH)
                    raise Refusal(501, "there are no locks")
                else:
                    # What follows cannot be understood, either.
                    sys.exit(f"unknown request: {request}")
            except Refusal as refusal:
                code, message = refusal.args
                status = "words" if self.fault == "status" else f"status {code}"
                self.write(status, DELIMITER, message, FLUSH)

    def request(self):
        packet = self.read()
        if not isinstance(packet, bytes) or not packet.endswith(b"\n"):
            sys.exit("not a request")
        return packet[:-1].decode()

    def log(self, line):
        if self.options.log:
            with open(self.options.log, "a") as log:
                log.write(line + "\n")


parser = argparse.ArgumentParser()
parser.add_argument("--log")
parser.add_argument("--fault")
parser.add_argument("--tokens", action="store_true")
parser.add_argument("path")
parser.add_argument("operation", choices=["upload", "download"])
options = parser.parse_args()
if not os.path.isdir(options.path):
    sys.exit(f"{options.path}: not a git repository")
Server(options).serve()
