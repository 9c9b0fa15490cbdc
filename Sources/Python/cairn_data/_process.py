"""Processes of cairn that answer requests: JSON lines over pipes."""
from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import threading
import weakref
from typing import Any, Callable, Iterator, Mapping, cast

from . import _program
from .errors import CairnError, InvalidInput, error

Answer = dict[str, Any]

# How many processes wait for the next request; others end.
_IDLE = 2

# How long a process may take to end, in seconds.
_TIMEOUT = 2


class Process:
    """`cairn batch` in a dataset.

    A process answers one request at a time. While the items of a long result are read, another process answers other
    requests: neither can fill a pipe that nobody reads, and items are found as fast as they are read.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._reset()
        _processes.add(self)

    def _reset(self) -> None:
        self._lock = threading.RLock()
        self._children: set[_Child] = set()
        self._idle: list[_Child] = []

    def request(self, action: str, **members: Any) -> Any:
        """Returns the result of a request; raises its error."""
        line = _line(action, members)
        with self._lock, self._child(line) as child:
            return child.result()

    @contextlib.contextmanager
    def operation(self) -> Iterator[Callable[..., Any]]:
        """Yields a function like `request`, whose requests are one operation: `cairn undo` undoes them all.

        One process answers them, and no other requests in between.
        """
        child: _Child | None = None

        def request(action: str, **members: Any) -> Any:
            nonlocal child
            with self._lock:
                continues = child is not None and child.is_running
                line = _line(action, {**members, "continues": continues or None})
                if child is None or not continues:
                    if child is not None:
                        self._release(child)
                    child = self._take()
                child.send(line)
                return child.result()

        try:
            yield request
        finally:
            if child is not None:
                self._release(child)

    def items(self, action: str, **members: Any) -> Iterator[Any]:
        """Yields the items of a request with a long result, as they are found."""
        line = _line(action, members)
        with self._child(line) as child:
            for answer in child.answers():
                if "item" in answer:
                    yield answer["item"]

    def close(self) -> None:
        """Ends the processes."""
        with self._lock:
            idle, self._idle = self._idle, []
            children, self._children = self._children, set()
        for child in children:
            # The threads that read from the others close them.
            child.close() if child in idle else child.end()

    def forget(self) -> None:
        """Leaves the processes to the process that this one was forked from."""
        for child in self._children:
            child.forget()
        self._reset()

    @contextlib.contextmanager
    def _child(self, request: bytes) -> Iterator[_Child]:
        """Sends a request to an idle process or a new one; ends it if its answers are not read to the end."""
        with contextlib.ExitStack() as stack:
            with self._lock:
                child = self._take()
                stack.callback(self._release, child)
                child.send(request)
            yield child

    def _take(self) -> _Child:
        """Returns an idle process or a new one; the lock must be held."""
        while self._idle and not self._idle[-1].is_running:
            child = self._idle.pop()
            self._children.discard(child)
            child.close()
        child = self._idle.pop() if self._idle else _Child(self._directory)
        self._children.add(child)
        return child

    def _release(self, child: _Child) -> None:
        """Keeps an idle process for the next request, and ends any other."""
        # Without the lock: the garbage collector ends an abandoned iteration in any thread.
        if child.is_idle and child in self._children and len(self._idle) < _IDLE:
            self._idle.append(child)
        else:
            self._children.discard(child)
            child.close()


class _Child:
    """One process, which reads a request once the last one is answered."""

    def __init__(self, directory: str) -> None:
        # Without a buffer for its input: closing that in a forked process must not write. In a session of its own:
        # Ctrl-C interrupts Python alone.
        self._process = subprocess.Popen(
            [_program.path(), "-C", directory, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
            start_new_session=True)
        self._input = cast(io.RawIOBase, self._process.stdin)
        self._output = cast(io.RawIOBase, self._process.stdout)
        self._lines = io.BufferedReader(self._output)
        self.is_idle = True
        """Whether the last request is answered to the end."""

    @property
    def is_running(self) -> bool:
        return not self._input.closed and self._process.poll() is None

    def send(self, request: bytes) -> None:
        """Writes a request; the process must be idle."""
        self.is_idle = False
        rest = memoryview(request)
        with contextlib.suppress(BrokenPipeError):  # Reading fails, too.
            while rest:
                rest = rest[self._input.write(rest):]

    def answers(self) -> Iterator[Answer]:
        """Yields the answers to the request: an object for each item, and one with the result; raises its error."""
        while not self.is_idle:
            line = b"" if self._input.closed else self._lines.readline()
            if self._input.closed:
                raise CairnError("The dataset was closed before the answer was complete.")
            if not line.endswith(b"\n"):
                raise CairnError("The cairn process ended unexpectedly.", hint="Its messages are on stderr.")
            answer = json.loads(line)
            self.is_idle = "item" not in answer
            if "error" in answer:
                raise error(answer["error"])
            yield answer

    def result(self) -> Any:
        """Returns the result of the request; raises its error."""
        *_, answer = self.answers()
        return answer["result"]

    def end(self) -> None:
        """Ends the process; another thread may be reading from it."""
        self._input.close()
        if not self.is_idle:
            self._process.terminate()
        try:
            self._process.wait(_TIMEOUT)
        except subprocess.TimeoutExpired:
            # A forked process may hold its input.
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Ends the process and closes its output."""
        self.end()
        self._lines.close()

    def forget(self) -> None:
        """Closes the pipes, but leaves the process running; it is another process's child."""
        self._process.returncode = 0
        self._input.close()
        self._output.close()


def _line(action: str, members: Mapping[str, Any]) -> bytes:
    """Returns a request as a line of JSON."""
    request = {"do": action, **{name: value for name, value in members.items() if value is not None}}
    try:
        return json.dumps(request, allow_nan=False, ensure_ascii=False).encode() + b"\n"
    except ValueError as problem:
        # Not a number, or a path that is not UTF-8.
        raise InvalidInput(f"cairn cannot take a value: {problem}.", "invalid-input", None, 65) from None


_processes: weakref.WeakSet[Process] = weakref.WeakSet()


def _forget() -> None:
    for process in list(_processes):
        process.forget()


# A worker that loads training data must not keep the input of its parent's processes open.
os.register_at_fork(after_in_child=_forget)


def run(directory: str, *arguments: str) -> Any:
    """Runs a command with `--json` and returns its value; raises its error."""
    child = subprocess.run([_program.path(), "-C", directory, "--json", *arguments], capture_output=True)
    if child.returncode < 0:
        raise CairnError(f"The cairn process was ended by signal {-child.returncode}.")
    try:
        value = json.loads(child.stdout) if child.stdout.strip() else None
    except ValueError:
        raise CairnError("The output of cairn is not complete JSON.", hint=_text(child.stderr) or None) from None
    if isinstance(value, dict) and value.get("error") is not None:
        raise error(value["error"])
    if child.returncode > 1:
        message = _text(child.stderr) or " ".join(_failures(value)) or "The command failed."
        raise error({"kind": "usage" if child.returncode == 64 else "failed", "exitCode": child.returncode,
                     "message": message}, value)
    return value


def _text(output: bytes) -> str:
    """Returns the messages on stderr, without the progress events."""
    lines = [line for line in output.decode(errors="replace").splitlines() if not line.startswith("{")]
    return "\n".join(lines).strip().removeprefix("cairn: ")


def _failures(report: Any) -> Iterator[str]:
    """Yields the reasons in a report on several photos or remotes."""
    for item in report if isinstance(report, list) else ():
        if isinstance(item, dict):
            reason = item.get("note") if item.get("status") == "failed" else item.get("error")
            if isinstance(reason, dict):
                reason = reason.get("message")
            if isinstance(reason, str):
                yield reason
