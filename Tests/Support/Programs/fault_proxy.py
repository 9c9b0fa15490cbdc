"""A proxy on loopback that passes bytes on to a server and injects the faults of a plan.

Reads the plan, one line of JSON, from stdin; prints its port; prints each fault on stderr; ends
when its stdin is closed. FaultPlan.swift describes the plan.
"""

import asyncio
import itertools
import json
import os
import socket
import struct
import sys

PIECE = 1 << 16


class Cut(Exception):
    """Reset the connection at both ends."""


class Truncated(Exception):
    """Close the receiver's connection in an orderly way."""


def note(text):
    print(text, file=sys.stderr, flush=True)


class Passer:
    """Writes to one side, with the faults of that direction."""

    def __init__(self, name, writer, faults):
        self.name, self.writer = name, writer
        self.faults = sorted(faults, key=lambda fault: fault["after"])
        self.passed = 0
        self.rate = None

    async def put(self, data):
        while data or self.is_due(data):
            if self.is_due(data):
                data = await self.strike(self.faults.pop(0), data)
                continue
            room = self.faults[0]["after"] - self.passed if self.faults else len(data)
            piece = data[: min(room, self.rate // 20 + 1 if self.rate else PIECE)]
            self.writer.write(piece)
            await self.writer.drain()
            self.passed += len(piece)
            data = data[len(piece) :]
            if self.rate:
                await asyncio.sleep(len(piece) / self.rate)

    def is_due(self, data):
        if not self.faults or self.faults[0]["after"] > self.passed:
            return False
        # A flip needs a byte to flip.
        return bool(data) or self.faults[0]["kind"] != "flip"

    async def strike(self, fault, data):
        kind = fault["kind"]
        if fault.get("struck"):
            # It has struck another connection meanwhile.
            return data
        fault["struck"] = True
        note(f"{kind} {self.name} {self.passed}")
        if kind == "cut":
            raise Cut
        if kind == "truncate":
            raise Truncated
        if kind == "stall":
            await asyncio.Event().wait()
        if kind == "slow":
            self.rate = fault["rate"]
        if kind == "flip":
            data = bytes([data[0] ^ 0x10]) + data[1:]
        return data

    def end(self):
        if self.writer.can_write_eof():
            self.writer.write_eof()


def break_off(writer):
    """Resets the connection, so that the other end sees an error."""
    writer.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    writer.transport.abort()


async def pump(reader, passer):
    try:
        await passer.put(b"")
        while data := await reader.read(PIECE):
            await passer.put(data)
    except Truncated:
        passer.end()
        while await reader.read(PIECE):
            pass
        return
    passer.end()


async def pass_stream(faults, client, server):
    def direction(name, writer):
        return Passer(name, writer, [f for f in faults if f["direction"] == name])

    tasks = [
        asyncio.ensure_future(pump(client[0], direction("up", server[1]))),
        asyncio.ensure_future(pump(server[0], direction("down", client[1]))),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()


# HTTP/1.1 (RFC 9112), as far as clients on loopback need it.


class Message:
    """The head of a request or a response."""

    def __init__(self, head):
        self.line, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        self.fields = [line.split(":", 1) for line in lines]

    def field(self, name):
        for key, value in self.fields:
            if key.lower() == name:
                return value.strip()
        return None

    def drop(self, name):
        self.fields = [f for f in self.fields if f[0].lower() != name]

    def bytes(self):
        lines = [self.line] + [":".join(field) for field in self.fields]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


async def body(reader, message, ends_with_connection):
    """Yields a body as received, including the framing of its chunks."""
    if (message.field("transfer-encoding") or "").lower() == "chunked":
        size = None
        while size != 0:
            line = await reader.readuntil(b"\r\n")
            yield line
            size = int(line.split(b";")[0], 16)
            if size:
                yield await reader.readexactly(size + 2)
        while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
            yield line
        yield line
        return
    length = message.field("content-length")
    if length is None and not ends_with_connection:
        return
    rest = int(length) if length is not None else float("inf")
    while rest > 0:
        piece = await reader.read(int(min(rest, PIECE)))
        if not piece:
            if length is None:
                return
            raise Cut
        rest -= len(piece)
        yield piece


def rule_for(line, rules):
    for rule in rules:
        if rule["match"] not in line or rule["times"] == 0:
            continue
        if rule["skip"] > 0:
            rule["skip"] -= 1
            continue
        rule["times"] -= 1
        return rule
    return None


def answer(rule):
    content = rule["body"].encode()
    lines = [
        f"HTTP/1.1 {rule['status']} Fault",
        f"Content-Type: {rule['type']}",
        f"Content-Length: {len(content)}",
    ]
    if rule.get("retryAfter") is not None:
        lines.append(f"Retry-After: {rule['retryAfter']}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n", content


async def reach(port):
    return await asyncio.open_connection("127.0.0.1", port, limit=PIECE * 4)


async def pass_requests(rules, client, server, port):
    while True:
        try:
            request = Message(await client[0].readuntil(b"\r\n\r\n"))
        except asyncio.IncompleteReadError:
            return
        if request.field("expect"):
            request.drop("expect")
            client[1].write(b"HTTP/1.1 100 Continue\r\n\r\n")
        rule = rule_for(request.line, rules) or {}
        if rule:
            note(f"http {rule.get('status') or 'faults'} {request.line}")
        method = request.line.split(" ")[0]
        pieces = body(client[0], request, False)
        if rule.get("status"):
            async for _ in pieces:
                pass
            head, content = answer(rule)
            client[1].write(head + (b"" if method == "HEAD" else content))
            await client[1].drain()
            continue
        if server[0].at_eof():
            # The server has closed the connection after the last response.
            server[1].close()
            server = await reach(port)
        server[1].write(request.bytes())
        up = Passer("up", server[1], rule.get("up", []))
        async for piece in pieces:
            await up.put(piece)
        await server[1].drain()
        while True:
            response = Message(await server[0].readuntil(b"\r\n\r\n"))
            status = int(response.line.split(" ")[1])
            if status >= 200:
                break
        client[1].write(response.bytes())
        down = Passer("down", client[1], rule.get("down", []))
        ends = (response.field("connection") or "").lower() == "close"
        if method != "HEAD" and status not in (204, 304):
            await down.put(b"")
            async for piece in body(server[0], response, True):
                await down.put(piece)
        await client[1].drain()
        if ends:
            return


async def main():
    instructions = json.loads(sys.stdin.readline())
    plan = instructions["plan"]
    numbers = itertools.count()
    tasks = set()

    async def connection(*client):
        # Keep a reference, or the task may be garbage-collected.
        tasks.add(asyncio.current_task())
        number = next(numbers)
        faults = plan["connections"][number] if number < len(plan["connections"]) else []
        if plan.get("once") and not plan["once"].get("struck"):
            faults = [*faults, plan["once"]]
        server = None
        try:
            for fault in (fault for fault in faults if fault["kind"] == "refuse"):
                fault["struck"] = True
                note("refuse")
                raise Cut
            server = await reach(instructions["to"])
            if plan["speaksHTTP"]:
                await pass_requests(plan["requests"], client, server, instructions["to"])
            else:
                await pass_stream(faults, client, server)
            client[1].close()
            server[1].close()
        except (Cut, OSError, asyncio.IncompleteReadError):
            for end in (client, server):
                if end:
                    break_off(end[1])
        except Truncated:
            client[1].close()
            server[1].close()
        finally:
            tasks.discard(asyncio.current_task())

    listener = await asyncio.start_server(connection, "127.0.0.1", 0, limit=PIECE * 4)
    print(listener.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)
    # The remaining threads and tasks hold nothing of importance.
    sys.stderr.flush()
    os._exit(0)


asyncio.run(main())
