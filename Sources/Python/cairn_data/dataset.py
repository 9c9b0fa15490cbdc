"""A dataset: a directory of photos, labels and their history."""
from __future__ import annotations

import dataclasses
import itertools
import os
import pathlib
import sys
import tempfile
import weakref
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, TypeVar, Union

from . import _process, records
from .errors import InvalidInput
from .labels import Labels
from .photos import Photos

PhotoLike = Union[records.Photo, str, "os.PathLike[str]"]
"""A photo, the beginning of its id, or the path of its file."""

Prediction = Union[Mapping[str, float], str, Sequence[str], None]
"""The classes of a photo with their confidences, or the name of its class, or several names, or None for no class."""

Item = TypeVar("Item")

# The number of labels or photos in a request; it is written to the disk at once.
_PIECE = 500


def open(path: str | os.PathLike[str] = ".") -> Dataset:
    """Opens the dataset at a path, or the one that the path is in."""
    return Dataset(path)


def create(path: str | os.PathLike[str], name: str | None = None) -> Dataset:
    """Creates a dataset and opens it."""
    _process.run(".", "init", str(pathlib.Path(path).resolve()), *(["--name", name] if name else []))
    return Dataset(path)


def _at(path: pathlib.Path) -> Dataset:
    """Returns the dataset of a directory, which was opened before."""
    dataset = Dataset.__new__(Dataset)
    dataset._use(path)
    return dataset


class Dataset:
    """A dataset. It may be used as a context manager; otherwise its processes end when the object is deleted."""

    def __init__(self, path: str | os.PathLike[str] = ".") -> None:
        start = pathlib.Path(path).resolve()
        # Raises the error of a path that is in no dataset.
        _process.run(str(start), "status")
        self._use(next(folder for folder in (start, *start.parents) if (folder / "cairn.json").is_file()))

    def _use(self, path: pathlib.Path) -> None:
        self.path = path
        """The directory of the dataset."""
        self.process = _process.Process(str(path))
        weakref.finalize(self, self.process.close)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy, in this process or in another one, has processes of its own.
        return _at, (self.path,)

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes that serve this object; a later request starts new ones."""
        self.process.close()

    def __repr__(self) -> str:
        return f"cairn_data.open({str(self.path)!r})"

    # Reading

    def photos(
        self, query: str = "", *, sort: str = "id", reverse: bool = False, limit: int | None = None,
        split: str | None = None,
    ) -> Photos:
        """Returns the photos that match a query, such as `state:confirmed near:56.8,-5,2km`.

        `sort` is id, taken, added, labeled (latest first), conf or title. `split` names a recorded split; each photo
        then has its subset.
        """
        return Photos(self, query, sort, reverse, limit, split)

    def photo(self, photo: PhotoLike) -> records.Photo:
        """Returns one photo with its labels; its location is the one in its file."""
        shown = self.process.request("show", photo=_text(photo))
        place = shown["photo"]["place"] or {}
        return records.photo(
            {"latitude": place.get("latitude"), "longitude": place.get("longitude"), **shown}, self)

    def labels(self, query: str = "") -> Labels:
        """Returns the labels of the photos that match a query."""
        return Labels(self, query)

    def classes(self) -> list[records.LabelClass]:
        """Returns the classes, sorted by key; aliases are listed with the class that they lead to."""
        return [
            records.LabelClass(item["key"], item["name"], tuple(item["aliases"]), item["photos"], item["set"])
            for item in self.process.request("class list") if item["aliasOf"] is None]

    def runs(self) -> list[records.Run]:
        """Returns the runs of models, latest first."""
        return [records.run(item) for item in self.process.request("run list")]

    def why(self, photo: PhotoLike, class_name: str | None = None) -> Any:
        """Explains why a photo has (or lacks) a class: the value of `cairn why --json`."""
        return self.process.request("why", photo=_text(photo), **({"class": class_name} if class_name else {}))

    # Labeling

    def label(
        self, photos: PhotoLike | Iterable[PhotoLike], classes: str | Iterable[str], *, absent: bool = False,
        confidence: float = 1, create: bool = False, model: str | None = None, run: records.Run | str | None = None,
        box: Sequence[float] | None = None, text: str | None = None,
    ) -> list[records.LabelResult]:
        """Labels photos with classes, as yourself, as a `model` (`name@version`) or in a `run`.

        A class that does not exist needs `create=True`, unless a model labels. `box` is x, y, width and height in
        fractions of the image. The labels are on the disk when the method returns. They are written for 500 photos at
        a time: an unknown photo raises an error, but the labels of earlier batches are kept; `undo` undoes them.
        """
        return self._edit(
            "label", photos, classes=[classes] if isinstance(classes, str) else list(classes),
            verdict="absent" if absent else "present", confidence=confidence, create=create, box=box, text=text,
            run=run.id if isinstance(run, records.Run) else run, **{"as": model})

    def label_many(
        self, assertions: Iterable[tuple[PhotoLike, str]], *, absent: bool = False, create: bool = False,
    ) -> int:
        """Labels many pairs of a photo and a class as yourself; returns the number of labels that changed."""
        labels = (
            {"photo": _text(photo), "class": name, "verdict": "absent" if absent else "present"}
            for photo, name in assertions)
        return sum(edit.changed for edit in self._label_each(labels, create=create))

    def _label_each(self, labels: Iterable[Mapping[str, Any]], **members: Any) -> Iterator[records.LabelResult]:
        """Writes labels in batches, as one operation; each batch is written to the disk at once."""
        with self.process.operation() as request:
            for piece in _pieces(labels):
                yield from _edits(request("label each", labels=piece, **members))

    def _edit(
        self, action: str, photos: PhotoLike | Iterable[PhotoLike], **members: Any,
    ) -> list[records.LabelResult]:
        """Edits the labels of photos in batches, as one operation; each batch is written to the disk at once."""
        if isinstance(photos, (records.Photo, str, os.PathLike)):
            return _edits(self.process.request(action, photos=[_text(photos)], **members))
        with self.process.operation() as request:
            return [
                edit for piece in _pieces(map(_text, photos))
                for edit in _edits(request(action, photos=piece, **members))]

    def unlabel(
        self, photos: PhotoLike | Iterable[PhotoLike], class_name: str, *, model: str | None = None,
    ) -> list[records.LabelResult]:
        """Withdraws your labels of a class, or those of a model."""
        return self._edit("unlabel", photos, **{"class": class_name, "as": model})

    def accept(self, photos: PhotoLike | Iterable[PhotoLike], class_name: str) -> list[records.LabelResult]:
        """Confirms what models predicted."""
        return self._edit("accept", photos, **{"class": class_name})

    def reject(self, photos: PhotoLike | Iterable[PhotoLike], class_name: str) -> list[records.LabelResult]:
        """Rejects what models predicted."""
        return self._edit("reject", photos, **{"class": class_name})

    # Models

    def predict(
        self, function: Callable[[list[records.Photo]], Sequence[Prediction]], query: str = "", *, model: str,
        parameters: Mapping[str, Any] | None = None, batch_size: int = 32, threshold: float = 0,
    ) -> records.Run:
        """Runs a model of your own on the photos that match a query, and records its predictions as a run.

        `function` gets a list of photos and returns, for each, the classes with their confidences, the name of its
        class, a list of names, or None. `model` is its name and version: `heather-net@3`. Predictions below the
        `threshold` are left out. People's labels always take precedence; `withdraw` withdraws the whole run. The run
        starts when its first labels are written; if `function` fails later, they are kept.
        """
        run: records.Run | None = None
        count = 0
        try:
            with self.process.operation() as request:
                for piece in _pieces(_predictions(function, list(self.photos(query)), batch_size, threshold)):
                    run = run or _start_run(request, model, parameters)
                    count += len(request("label each", labels=piece, run=run.id))
                return dataclasses.replace(run or _start_run(request, model, parameters), labels=count)
        except BaseException as problem:
            if run and sys.version_info >= (3, 11):
                problem.add_note(f"{count} labels of run {run.id} were written: withdraw(\"{run.id}\") withdraws them.")
            raise

    def withdraw(self, run: records.Run | str) -> records.Run:
        """Withdraws all labels of a run."""
        return records.run(self.process.request("run withdraw", run=run.id if isinstance(run, records.Run) else run))

    def train(
        self, name: str, query: str = "", *, exclusive_set: str | None = None, classes: Iterable[str] = (),
        split: str | None = None, features: str | os.PathLike[str] | None = None,
    ) -> Any:
        """Trains a model of cairn on people's labels: the value of `cairn train --json`.

        It learns the classes of the only exclusive set, those of `exclusive_set`, or `classes` that do not exclude each
        other. `split` is the name of a recorded split, or shares: `train=80,test=20`. `features` is an ONNX model that
        describes images. The model becomes the labeler `name`.
        """
        names = classes if isinstance(classes, str) else ",".join(classes)
        options = [*_option("--find", query), *_option("--set", exclusive_set), *_option("--classes", names),
                   *_option("--split", split), *_option("--features", _path(features))]
        return self.command("train", name, *options)

    def evaluate(self, query: str = "", *, models: Iterable[str] = (), classes: Iterable[str] = ()) -> Any:
        """Measures models against people's labels: the value of `cairn evaluate --json`.

        Without `models` and `classes`, measures all.
        """
        chosen = [*_repeated("--model", models), *_repeated("--class", classes)]
        return self.command("evaluate", *_option("--find", query), *chosen)

    def features(self, query: str = "", *, model: str | os.PathLike[str] | None = None) -> tuple[list[str], Any]:
        """Returns the ids of the photos that match a query, and a NumPy array with a row of features for each.

        The features are those that `train` learns from: cairn's own, or those of an ONNX `model` that describes images.
        They are 32-bit floats, and are cached. Photos without an image on this disk, or with one that cannot be
        decoded, are left out.
        """
        import numpy

        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder, "features")
            self.command(
                "export", "features", str(target), *_option("--find", query), *_option("--features", _path(model)))
            photos = (target / "photos.csv").read_text().split()[1:]
            return photos, numpy.load(target / "features.npy")

    # Undo

    def operations(self, limit: int | None = None) -> list[records.Operation]:
        """Returns the operations that changed documents on this device, newest first."""
        found = self.command("operations", *_option("--limit", limit))
        return [records.operation(item) for item in found]

    def undo(self, operation: records.Operation | int | None = None) -> Any:
        """Undoes an operation, or your last one: the value of `cairn undo --json`.

        Each call of `label`, `label_many`, `predict` or a similar method is one operation, for any number of photos.
        """
        number = operation.number if isinstance(operation, records.Operation) else operation
        return self.command("undo", *([] if number is None else [str(number)]))

    # Files and remotes

    def add(self, *paths: str | os.PathLike[str]) -> Any:
        """Adds photos and folders of photos: the value of `cairn photo add --json`.

        If some cannot be added, the others are still added, and the error has this value as its `report`.
        """
        return self.command("photo", "add", *[str(pathlib.Path(path).resolve()) for path in paths])

    def sync(self, remote: str | None = None) -> Any:
        """Commits, pulls and pushes: the value of `cairn sync --json`."""
        return self.command("sync", *([remote] if remote else []))

    def command(self, *arguments: str) -> Any:
        """Runs any command of cairn in the dataset, and returns the value that it prints with `--json`."""
        return _process.run(str(self.path), *arguments)


def _start_run(
    request: Callable[..., Any], model: str, parameters: Mapping[str, Any] | None,
) -> records.Run:
    return records.run(request("run start", model=model, parameters=dict(parameters or {})))


def _predictions(
    function: Callable[[list[records.Photo]], Sequence[Prediction]], photos: Sequence[records.Photo], batch_size: int,
    threshold: float,
) -> Iterator[Mapping[str, Any]]:
    """Yields what a function predicts for photos, as labels."""
    for start in range(0, len(photos), batch_size):
        batch = list(photos[start:start + batch_size])
        predictions = function(batch)
        if len(predictions) != len(batch):
            raise InvalidInput(
                f"The function returned {len(predictions)} predictions for {len(batch)} photos.", "invalid-input", None,
                65)
        for photo, prediction in zip(batch, predictions):
            if prediction is None:
                continue
            if isinstance(prediction, str):
                prediction = [prediction]
            scores = prediction if isinstance(prediction, Mapping) else dict.fromkeys(prediction, 1.0)
            for name, confidence in scores.items():
                # Not a number is not below the threshold, so it is refused.
                if not confidence < threshold:
                    yield {"photo": photo.id, "class": name, "confidence": float(confidence)}


def _path(value: str | os.PathLike[str] | None) -> str | None:
    """Returns an absolute path: commands run in the directory of the dataset."""
    return os.path.abspath(value) if value else None


def _option(name: str, value: object) -> list[str]:
    """Returns an option of a command with its value, or nothing without a value."""
    if value is None or value == "":
        return []
    return [f"{name}={value}"]


def _repeated(name: str, values: Iterable[str]) -> list[str]:
    return [f"{name}={value}" for value in ([values] if isinstance(values, str) else values)]


def _text(photo: PhotoLike) -> str:
    if isinstance(photo, records.Photo):
        return photo.id
    # The process runs in the dataset's directory.
    path = os.fspath(photo)
    return os.path.abspath(path) if os.path.exists(path) else path


def _pieces(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while piece := list(itertools.islice(rest, _PIECE)):
        yield piece


def _edits(result: Iterable[Mapping[str, Any]]) -> list[records.LabelResult]:
    return [records.LabelResult(records.label(item["label"], item["photo"]), item["changed"]) for item in result]
