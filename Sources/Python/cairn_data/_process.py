"""A cairn process that answers requests: JSON lines over pipes."""
from __future__ import annotations

import collections
import json
import os
import subprocess
import threading
from typing import Any, Iterator, Mapping

from . import _program
from .errors import CairnError, error

Answer = dict[str, Any]


class Process:
    """`cairn batch` in a dataset. Answers come in the order of the requests."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._lock = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._waiting: dict[int, collections.deque[Answer]] = {}
        self._owner = os.getpid()

    def request(self, action: str, **members: Any) -> Any:
        """Returns the result of a request; raises its error."""
        with self._lock:
            number = self._send(action, members)
            try:
                return self._result(self._next(number))
            finally:
                self._waiting.pop(number, None)

    def items(self, action: str, **members: Any) -> Iterator[Any]:
        """Yields the items of a request with a long result, while they are found."""
        with self._lock:
            number = self._send(action, members)
        try:
            while True:
                with self._lock:
                    answer = self._next(number)
                if "item" not in answer:
                    self._result(answer)
                    return
                yield answer["item"]
        finally:
            # Further items are dropped when they arrive.
            self._waiting.pop(number, None)

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            child, self._child = self._child, None
            self._waiting.clear()
        if child is None or self._owner != os.getpid():
            return
        for pipe in (child.stdin, child.stdout):
            if pipe:
                pipe.close()
        child.wait()

    def _send(self, action: str, members: Mapping[str, Any]) -> int:
        child = self._running()
        self._number += 1
        line = json.dumps({"id": self._number, "do": action, **{k: v for k, v in members.items() if v is not None}})
        self._waiting[self._number] = collections.deque()
        assert child.stdin
        try:
            child.stdin.write(line.encode() + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        return self._number

    def _next(self, number: int) -> Answer:
        """Returns the next answer to a request; keeps answers to other requests."""
        mine = self._waiting[number]
        child = self._child
        while not mine:
            line = child.stdout.readline() if child and child.stdout else b""
            if not line:
                raise self._ended()
            answer = json.loads(line)
            waiting = self._waiting.get(answer.get("id"))
            if waiting is not None:
                waiting.append(answer)
        return mine.popleft()

    def _result(self, answer: Answer) -> Any:
        if "error" in answer:
            raise error(answer["error"])
        return answer["result"]

    def _running(self) -> subprocess.Popen[bytes]:
        if self._owner != os.getpid():
            # Forked, by a loader of training data: the parent goes on with its process.
            self._owner, self._child, self._waiting = os.getpid(), None, {}
        if self._child is None:
            self._child = subprocess.Popen(
                [_program.path(), "-C", self._directory, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self._child

    def _ended(self) -> CairnError:
        self._child = None
        return CairnError("The cairn process ended unexpectedly.", "internal", "Its messages are on stderr.")


def run(directory: str, *arguments: str) -> Any:
    """Runs a command with `--json` and returns its value; raises its error."""
    child = subprocess.run([_program.path(), "-C", directory, "--json", *arguments], capture_output=True, text=True)
    value = json.loads(child.stdout) if child.stdout.strip() else None
    if isinstance(value, dict) and value.get("error") is not None:
        raise error(value["error"])
    if child.returncode > 1:
        # Other lines are events of the progress.
        lines = [line for line in child.stderr.splitlines() if not line.startswith("{")]
        message = "\n".join(lines).strip().removeprefix("cairn: ") or "The command failed."
        raise error({"kind": "usage" if child.returncode == 64 else "failed", "exitCode": child.returncode,
                     "message": message})
    return value
