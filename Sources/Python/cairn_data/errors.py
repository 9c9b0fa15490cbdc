"""The errors of cairn as exceptions."""
from __future__ import annotations

from typing import Any, Mapping


class CairnError(Exception):
    """An error of cairn: what is wrong, and the next step.

    `kind` is a stable name such as `not-found`; `exit_code` is that of the command line; `hint` says what to do, or
    is None. `report` is the value of a command that failed in part, such as the photos that were added, or None.
    """

    def __init__(
        self, message: str, kind: str = "internal", hint: str | None = None, exit_code: int = 70, report: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.hint = hint
        self.exit_code = exit_code
        self.report = report

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.kind, self.hint, self.exit_code, self.report)


class NotFound(CairnError):
    """There is no such photo, pin, class, run, remote, split or file, or its image is not on this disk."""


class Ambiguous(CairnError):
    """A name or an id that matches several things."""


class AlreadyExists(CairnError):
    """Something with this name already exists."""


class InvalidInput(CairnError):
    """A value, a query or an image that cannot be used."""


class NoDataset(CairnError):
    """The path is not in a dataset."""


class NoIdentity(CairnError):
    """git's configuration has no name or no email address."""


class Busy(CairnError):
    """Another process is writing; try again."""


class RemoteError(CairnError):
    """A remote cannot be reached, or refuses the request."""


_BY_KIND: dict[str, type[CairnError]] = {
    "not-found": NotFound, "no-remote": NotFound, "missing-image": NotFound, "erased": NotFound,
    "ambiguous": Ambiguous, "exists": AlreadyExists, "invalid-input": InvalidInput, "invalid-image": InvalidInput,
    "usage": InvalidInput, "not-a-dataset": NoDataset, "no-identity": NoIdentity, "locked": Busy,
}


def error(value: Mapping[str, Any], report: Any = None) -> CairnError:
    """Returns the exception for an error as `--json` prints it."""
    kind = str(value.get("kind", "internal"))
    code = int(value.get("exitCode", 70))
    chosen = _BY_KIND.get(kind) or (RemoteError if code in (68, 69, 77) else CairnError)
    return chosen(str(value.get("message", "Unknown error.")), kind, value.get("hint"), code, report)
