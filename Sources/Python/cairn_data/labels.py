"""The labels of a dataset as rows."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from . import records, tables

if TYPE_CHECKING:
    from .dataset import Dataset


class Labels:
    """The labels of the photos that match a query. Each iteration reads them again."""

    def __init__(self, dataset: Dataset, query: str) -> None:
        self._dataset = dataset
        self._query = query

    def __iter__(self) -> Iterator[records.Label]:
        for item in self._dataset.process.items("find", query=self._query, labels=True):
            photo = item["photo"]["id"]
            for value in item["labels"]:
                yield records.label(value, photo)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields the labels as dictionaries, the rows of a table."""
        for label in self:
            yield {
                "photo": label.photo, "class": label.key, "annotator": label.annotator, "is_human": label.is_human,
                "verdict": label.verdict, "confidence": label.confidence, "run": label.run, "text": label.text,
                "box": (label.region or {}).get("box"), "time": label.time}

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame with a row for each label."""
        return tables.to_pandas(self.rows(), tables.LABELS)

    def to_arrow(self) -> Any:
        """Returns a pyarrow Table with a row for each label."""
        return tables.to_arrow(self.rows(), tables.LABELS)
