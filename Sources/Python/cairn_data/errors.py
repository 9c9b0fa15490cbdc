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
    """A remote cannot be reached, refuses the request, or has newer commits."""


class DiskError(CairnError):
    """A file cannot be read or written, its permissions do not allow it, or a disk is full."""


class Damaged(CairnError):
    """A document of the dataset is invalid, or data does not match its hash."""


class Unsupported(CairnError):
    """The dataset needs a later version of cairn, or cairn cannot use its repository or merge its history."""


_KINDS: dict[type[CairnError], tuple[str, ...]] = {
    NotFound: ("not-found", "no-remote", "missing-image", "erased"), Ambiguous: ("ambiguous",),
    AlreadyExists: ("exists",), InvalidInput: ("invalid-input", "invalid-image", "usage"),
    NoDataset: ("not-a-dataset",), NoIdentity: ("no-identity",), Busy: ("locked",),
    RemoteError: ("unreachable", "offline", "authentication", "untrusted", "refused", "not-fast-forward"),
    DiskError: ("file-system", "no-space", "permission"), Damaged: ("invalid-document", "corrupt"),
    Unsupported: ("newer-format", "unsupported", "unrelated"),
}
_BY_KIND = {kind: chosen for chosen, kinds in _KINDS.items() for kind in kinds}


def error(value: Mapping[str, Any], report: Any = None) -> CairnError:
    """Returns the exception for an error as `--json` prints it."""
    kind = str(value.get("kind", "internal"))
    code = int(value.get("exitCode", 70))
    chosen = _BY_KIND.get(kind) or (RemoteError if code in (68, 69, 77) else CairnError)
    return chosen(str(value.get("message", "Unknown error.")), kind, value.get("hint"), code, report)
