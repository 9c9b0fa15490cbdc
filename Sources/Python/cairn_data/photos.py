"""The photos that match a query."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator

from . import html, learning, records, tables

if TYPE_CHECKING:
    from .dataset import Dataset

_SHOWN = 24


class Photos:
    """The photos that match a query. Each iteration runs the query again, and yields photos as they are found."""

    def __init__(
        self, dataset: Dataset, query: str, sort: str, reverse: bool, limit: int | None, split: str | None,
    ) -> None:
        self._dataset = dataset
        self._limit = limit
        self._members = {"query": query, "sort": sort, "reverse": reverse, "limit": limit, "split": split}

    def __iter__(self) -> Iterator[records.Photo]:
        return self._iterate()

    def _iterate(self, **members: Any) -> Iterator[records.Photo]:
        for item in self._dataset.process.items("find", **{**self._members, **members}):
            yield records.photo(item, self._dataset)

    def _first(self, count: int) -> list[records.Photo]:
        """Returns the first photos, at most `count`."""
        return list(self._iterate(limit=count if self._limit is None else min(count, self._limit)))

    def __len__(self) -> int:
        found = int(self._dataset.process.request("count", query=self._members["query"])["count"])
        return found if self._limit is None else min(found, self._limit)

    def __bool__(self) -> bool:
        return bool(self._first(1))

    def with_labels(self) -> Iterator[records.Photo]:
        """Yields the photos with their labels, in `Photo.labels`."""
        return self._iterate(labels=True)

    def first(self) -> records.Photo | None:
        """Returns the first photo, or None."""
        return next(iter(self._first(1)), None)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields the photos as dictionaries, the rows of a table; classes by their keys."""
        for photo in self:
            row: dict[str, Any] = {name: getattr(photo, name) for name in tables.PHOTOS if hasattr(photo, name)}
            row["path"] = str(photo.path)
            for state in ("confirmed", "predicted", "disputed", "rejected"):
                row[state] = [resolution.key for resolution in photo.classes if resolution.state == state]
            yield row

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame with a row for each photo."""
        return tables.to_pandas(self.rows(), tables.PHOTOS)

    def to_arrow(self) -> Any:
        """Returns a pyarrow Table with a row for each photo."""
        return tables.to_arrow(self.rows(), tables.PHOTOS)

    def to_torch(
        self, classes: list[str] | None = None, transform: Callable[[Any], Any] | None = None,
        multilabel: bool = False, states: tuple[str, ...] = ("confirmed",),
    ) -> learning.TorchDataset:
        """Returns a map-style PyTorch dataset of pairs of an image and its class.

        `classes` are the keys of the classes (default: all that occur). Without `multilabel`, photos that do not
        have exactly one of them are left out, and the target is its index; with it, the target is a list of 0 and 1.
        Photos whose images were erased are left out, too. `transform` gets a PIL image in RGB; by default, the image
        becomes a tensor of floats.
        """
        return learning.TorchDataset(self, classes, transform, multilabel, states)

    def to_datasets(self, classes: list[str] | None = None, states: tuple[str, ...] = ("confirmed",)) -> Any:
        """Returns the photos as a `datasets.Dataset` of Hugging Face, or, with a split, as a `DatasetDict`.

        The columns are `image`, `id`, `label` (the class of a photo that has exactly one, else None) and `labels`.
        Photos whose images were erased are left out.
        """
        return learning.to_datasets(self, classes, states, self._members["split"] is not None)

    def _repr_html_(self) -> str:
        photos = self._first(_SHOWN + 1)
        note = f"{_SHOWN} of {len(self)} photos" if len(photos) > _SHOWN else ""
        return html.grid(photos[:_SHOWN], note)
