"""Rows as tables of pandas and Arrow."""
from __future__ import annotations

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
    "confidence": "double", "run": "string", "text": "string", "box": "json", "time": "string",
}


def to_pandas(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> Any:
    """Returns a DataFrame of rows, with all columns even if there are no rows."""
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))


def to_arrow(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> Any:
    """Returns an Arrow table of rows; a box is its JSON."""
    import pyarrow

    types = {
        "string": pyarrow.string(), "int64": pyarrow.int64(), "double": pyarrow.float64(), "bool": pyarrow.bool_(),
        "list": pyarrow.list_(pyarrow.string()), "json": pyarrow.string()}
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for row in rows:
        for name, kind in columns.items():
            value = row[name]
            values[name].append(json.dumps(value) if kind == "json" and value is not None else value)
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    return pyarrow.table(values, schema=schema)
