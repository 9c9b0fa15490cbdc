"""Rows as tables of pandas and Arrow."""
from __future__ import annotations

import datetime
import json
from typing import Any, Iterable, Mapping

# The columns and their types in Arrow.
PHOTOS = {
    "id": "string", "path": "string", "title": "string", "source": "string", "caption": "string", "width": "int64",
    "height": "int64", "format": "string", "taken": "string", "camera": "string", "latitude": "double",
    "longitude": "double", "pin": "string", "split": "string", "confirmed": "list", "predicted": "list",
    "disputed": "list", "rejected": "list",
}
LABELS = {
    "photo": "string", "class": "string", "annotator": "string", "is_human": "bool", "verdict": "string",
    "confidence": "double", "run": "string", "text": "string", "box": "json", "time": "time",
}
# The types of pandas; lists and boxes are objects.
_PANDAS = {
    "string": "string", "int64": "int64", "double": "float64", "bool": "bool", "list": "object", "json": "object",
    "time": "datetime64[ms, UTC]"}


def to_pandas(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> Any:
    """Returns a DataFrame of rows, with all columns and their types even if there are no rows or no values."""
    import pandas

    frame = pandas.DataFrame(list(rows), columns=list(columns), dtype=object)
    return frame.astype({name: _PANDAS[kind] for name, kind in columns.items()})


def to_arrow(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> Any:
    """Returns an Arrow table of rows; boxes are JSON text."""
    import pyarrow

    types = {
        "string": pyarrow.string(), "int64": pyarrow.int64(), "double": pyarrow.float64(), "bool": pyarrow.bool_(),
        "list": pyarrow.list_(pyarrow.string()), "json": pyarrow.string(), "time": pyarrow.timestamp("ms", "UTC")}
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for row in rows:
        for name, kind in columns.items():
            value = row[name]
            if kind == "json" and value is not None:
                value = json.dumps(value)
            elif kind == "time":
                value = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
            values[name].append(value)
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    return pyarrow.table(values, schema=schema)
