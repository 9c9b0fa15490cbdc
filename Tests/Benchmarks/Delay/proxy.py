"""Passes TCP connections on, and delays what both sides send, as a distant server does.

Usage: proxy.py MILLISECONDS PORT…, where each port is one of a server on this machine. Prints the
proxy's port for each, and counts connections: a line to standard error for each one.
"""

import asyncio
import sys


async def pipe(reader, writer, delay):
    """Passes bytes on, each `delay` seconds after it came: many may be on their way."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()

    async def send():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                if writer.can_write_eof():
                    writer.write_eof()
                return
            writer.write(data)
            await writer.drain()

    sender = asyncio.create_task(send())
    try:
        while data := await reader.read(1 << 16):
            queue.put_nowait((loop.time() + delay, data))
        queue.put_nowait((loop.time() + delay, b""))
        await sender
    except ConnectionError:
        sender.cancel()
        writer.close()


async def main(delay, ports):
    for port in ports:
        async def accept(reader, writer, port=port):
            print(f"{port}", file=sys.stderr, flush=True)
            # The handshake takes a round trip, too.
            await asyncio.sleep(2 * delay)
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(pipe(reader, there_writer, delay), pipe(there_reader, writer, delay))
            writer.close()
            there_writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main(int(sys.argv[1]) / 2000, [int(port) for port in sys.argv[2:]]))
