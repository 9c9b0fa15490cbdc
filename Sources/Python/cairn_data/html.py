"""Photos as HTML, for notebooks."""
from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from .records import Photo

from .errors import CairnError

_MARKS = {"confirmed": "✓", "predicted": "?", "disputed": "!"}


def grid(photos: Sequence[Photo], note: str = "") -> str:
    """Returns a grid of thumbnails with the names of the photos and their classes."""
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:8px">' + "".join(map(_cell, photos)) + "</div>"
        + (f"<p>{html.escape(note)}</p>" if note else ""))


def _cell(photo: Photo) -> str:
    classes = ", ".join(
        f"{resolution.name} {_MARKS[resolution.state]}" for resolution in photo.classes if resolution.state in _MARKS)
    try:
        data = base64.b64encode(photo.thumbnail_bytes()).decode()
        image = f'<img src="data:image/jpeg;base64,{data}" style="max-width:160px;max-height:160px" alt="">'
    except CairnError as problem:
        image = f"<small>{html.escape(problem.message)}</small>"
    return (
        f'<figure style="margin:0;width:160px" title="{html.escape(photo.id)}">{image}'
        f"<figcaption><small>{html.escape(photo.name)}<br><b>{html.escape(classes)}</b></small></figcaption></figure>")
