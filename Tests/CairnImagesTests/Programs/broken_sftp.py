"""An sftp server on stdin and stdout that follows the protocol except for one fault.

Usage: broken_sftp.py FAULT SIZE [FILE [ID]]. Every image exists and has SIZE zero bytes; with SIZE
0 none exists. With FAULT “moved”, the first upload disappears; with “clock”, the clock is an hour
behind and another client uploads the image ID. Both note renames in FILE. With FAULT “together”, it
answers requests to create or rename a file only when there are four; “new” does the same, and has no directory
for temporary files before it is made. With FAULT “fetch” or “short”,
there are four images, whose bytes are 0, 1, 2 or 3; “fetch” answers requests to open or to read only when
there are as many as for all images, and “short” sends only a part of what is asked for.
"""

import hashlib
import struct
import sys
import time

FAULT, SIZE = sys.argv[1], int(sys.argv[2])
OPEN, CLOSE, READ, WRITE, OPENDIR, READDIR, MKDIR, STAT, RENAME = 3, 4, 5, 6, 11, 12, 14, 17, 18
listed = False
has_directory = FAULT != "new"
held = {OPEN: [], RENAME: [], READ: []}
# The number of requests that are answered at once: an image has two blocks.
HELD = {OPEN: 4, RENAME: 4, READ: 8}
IMAGES = {hashlib.sha256(bytes([value]) * SIZE).hexdigest(): value for value in range(4)}


def send(packet):
    sys.stdout.buffer.write(struct.pack(">I", len(packet)) + packet)
    sys.stdout.buffer.flush()


def string(data):
    return struct.pack(">I", len(data)) + data


def status(number, code):
    return b"\x65" + struct.pack(">II", number, code) + string(b"words") + string(b"")


def noted(text):
    """Appends a line to FILE, and returns the number of its lines."""
    with open(sys.argv[3], "a+") as file:
        file.write(text + "\n")
        file.seek(0)
        return len(file.readlines())


def clock(kind, number, body):
    """Returns the answer of a server whose clock is behind; None for the usual one."""
    global listed
    now = int(time.time()) - 3600
    if kind == READDIR and not listed:
        listed = True
        name = string(sys.argv[4].encode() + b".0abc") + string(b"")
        attributes = struct.pack(">IQII", 9, 100_000, now - 5, now - 5)
        return b"\x68" + struct.pack(">II", number, 1) + name + attributes
    if kind == STAT and b"/tmp/" in body:
        return b"\x69" + struct.pack(">IIQII", number, 9, 0, now, now)
    if kind == RENAME and b".0abc" in body:
        noted("taken")
    return None


def answer(kind, number, body):
    global has_directory
    if kind == MKDIR and b"/tmp\0" in body:
        has_directory = True
    if kind == OPEN and not has_directory:
        return status(number, 2)
    if FAULT == "clock" and (other := clock(kind, number, body)):
        return other
    if FAULT == "moved" and kind == RENAME:
        return status(number, 2 if noted("rename") < 3 else 0)
    if FAULT == "numbers":
        number += 1000
    if FAULT == "kind":
        return b"\x67" + struct.pack(">I", number) + string(b"data")
    if FAULT == "unknown":
        return b"\xfe" + struct.pack(">I", number)
    if kind == STAT and SIZE:
        if FAULT == "attributes":
            return b"\x69" + struct.pack(">IIII", number, 0x80000000, 0xFFFFFFFF, 9)
        return b"\x69" + struct.pack(">IIQ", number, 1, SIZE)
    if kind == STAT:
        return status(number, 2)
    if FAULT in ("fetch", "short") and kind == OPEN:
        # The path is before the flags and the attributes.
        handle = bytes([IMAGES[body[-72:-8].decode()]])
        return b"\x66" + struct.pack(">I", number) + string(handle)
    if FAULT in ("fetch", "short") and kind == READ:
        handle, _, count = struct.unpack(">BQI", body[-13:])
        count = max(1, count // 2) if FAULT == "short" else count
        return b"\x67" + struct.pack(">I", number) + string(bytes([handle]) * count)
    if kind in (OPEN, OPENDIR):
        handle = b"h" * (999 if FAULT == "handle" else 4)
        return b"\x66" + struct.pack(">I", number) + string(handle)
    if kind == READDIR and FAULT == "names":
        name = string(b"f" * 64 + b".x") + string(b"") + struct.pack(">III", 8, 1, 1)
        return b"\x68" + struct.pack(">II", number, 500) + name * 500
    if kind == READDIR and FAULT == "count":
        return b"\x68" + struct.pack(">II", number, 0xFFFFFFFF)
    if kind == READDIR:
        return status(number, 1)
    if kind == READ:
        _, count = struct.unpack(">QI", body[-12:])
        count = {"more": count + 1, "none": 0}.get(FAULT, count)
        if FAULT == "end":
            return status(number, 1)
        return b"\x67" + struct.pack(">I", number) + string(b"\0" * count)
    return status(number, 4 if FAULT == "failure" and kind == WRITE else 0)


def main():
    if FAULT == "text":
        print("Welcome to this machine", flush=True)
    while len(head := sys.stdin.buffer.read(4)) == 4:
        packet = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
        if packet[0] == 1:
            if FAULT == "first":
                send(status(0, 0))
            else:
                send(b"\x02" + struct.pack(">I", 2 if FAULT == "version" else 3))
            continue
        number = struct.unpack(">I", packet[1:5])[0]
        if FAULT == "long":
            sys.stdout.buffer.write(b"\x7f\xff\xff\xff")
        if FAULT == "tiny":
            send(b"\x65")
        if FAULT == "cut":
            send(status(number, 0)[:7])
        if FAULT == "endless":
            while True:
                send(status(number, 0))
        if FAULT in ("together", "new", "fetch") and packet[0] in held:
            waiting = held[packet[0]]
            waiting.append(answer(packet[0], number, packet))
            if len(waiting) == HELD[packet[0]]:
                for each in waiting:
                    send(each)
                waiting.clear()
        elif FAULT != "silent":
            send(answer(packet[0], number, packet))


try:
    main()
except BrokenPipeError:
    # The client has disconnected.
    sys.stderr.close()
