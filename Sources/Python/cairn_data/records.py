"""The values of a dataset: photos, labels, classes and runs."""
from __future__ import annotations

import base64
import dataclasses
import io
import pathlib
from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    from .dataset import Dataset


@dataclasses.dataclass(frozen=True)
class Resolution:
    """The resolution of a class on a photo, computed from all labels.

    `state` is confirmed, rejected, predicted, disputed or open.
    """

    key: str
    name: str
    state: str
    confidence: float


@dataclasses.dataclass(frozen=True)
class Label:
    """An assertion by one annotator, a person or a model, about one photo and class."""

    photo: str
    key: str
    annotator: str
    verdict: str
    confidence: float
    run: str | None
    text: str | None
    region: Mapping[str, Any] | None = dataclasses.field(hash=False)
    stamp: str

    @property
    def is_human(self) -> bool:
        """Whether a person gave the label."""
        return self.annotator.startswith("human:")

    @property
    def time(self) -> str:
        """When the label was given, in UTC: `2026-11-20T23:31:05.123Z`."""
        return self.stamp[:24]


@dataclasses.dataclass(frozen=True)
class LabelResult:
    """A label after an edit; `changed` is False if it existed already."""

    label: Label
    changed: bool


@dataclasses.dataclass(frozen=True)
class LabelClass:
    """A class: its stable key, its name, its other keys, and how many photos have it."""

    key: str
    name: str
    aliases: tuple[str, ...]
    photos: int
    exclusive_set: str | None


@dataclasses.dataclass(frozen=True)
class Run:
    """A run of a model, whose labels can be withdrawn as a whole."""

    id: str
    annotator: str
    parameters: Mapping[str, Any] = dataclasses.field(hash=False)
    labels: int
    withdrawn: bool


@dataclasses.dataclass(frozen=True)
class Operation:
    """What a command or a call changed on this device, and when: `2026-11-20T23:31:05.123Z`."""

    number: int
    command: str
    time: str
    undone: bool
    undoes: int | None
    """The number of the operation that this one undid."""


@dataclasses.dataclass(frozen=True)
class Photo:
    """A photo with its metadata and the resolution of its classes."""

    id: str
    path: pathlib.Path
    title: str
    source: str
    caption: str
    width: int
    height: int
    format: str
    taken: str | None
    camera: str | None
    latitude: float | None
    longitude: float | None
    pin: str | None
    classes: tuple[Resolution, ...]
    labels: tuple[Label, ...]
    split: str | None
    dataset: Dataset = dataclasses.field(repr=False, compare=False, hash=False)

    @property
    def name(self) -> str:
        """The photo's title, or the name of its file."""
        return self.title or self.source

    def confirmed(self) -> list[str]:
        """Returns the keys of the classes that people confirmed."""
        return [resolution.key for resolution in self.classes if resolution.state == "confirmed"]

    def image_path(self) -> pathlib.Path:
        """Returns the path of the image: `path`, or where the dataset keeps it if it is not checked out."""
        # A smaller file may be a pointer of Git LFS.
        if self.path.is_file() and self.path.stat().st_size >= 1024:
            return self.path
        return pathlib.Path(self.dataset.process.request("image", photo=self.id))

    def image(self) -> Any:
        """Returns the image as a PIL image, upright."""
        from PIL import Image, ImageOps

        with Image.open(self.image_path()) as image:
            return ImageOps.exif_transpose(image)

    def thumbnail_bytes(self) -> bytes:
        """Returns a JPEG of at most 320 × 320 pixels, upright."""
        return base64.b64decode(self.dataset.process.request("thumbnail", photo=self.id))

    def thumbnail(self) -> Any:
        """Returns an upright PIL image of at most 320 × 320 pixels, for every format that cairn reads."""
        from PIL import Image

        return Image.open(io.BytesIO(self.thumbnail_bytes()))

    def _repr_html_(self) -> str:
        from .html import grid

        return grid([self])


def photo(value: Mapping[str, Any], dataset: Dataset) -> Photo:
    """Returns the photo of an item of `find`."""
    facts = value["photo"]
    return Photo(
        id=facts["id"], path=dataset.path / facts["path"], title=facts["title"], source=facts["source"],
        caption=facts["caption"], width=facts["width"], height=facts["height"], format=facts["format"],
        taken=facts["taken"], camera=facts["camera"], latitude=value["latitude"], longitude=value["longitude"],
        pin=facts["pin"],
        classes=tuple(
            Resolution(item["class"], item["name"], item["state"], float(item["confidence"]))
            for item in value["resolution"]),
        labels=tuple(label(item, facts["id"]) for item in value.get("labels", ())), split=value.get("split"),
        dataset=dataset)


def label(value: Mapping[str, Any], photo_id: str) -> Label:
    """Returns a label as `--json` prints it."""
    return Label(
        photo=photo_id, key=value["class"], annotator=value["annotator"], verdict=value["verdict"],
        confidence=float(value["confidence"]), run=value.get("run"), text=value.get("text"),
        region=value.get("region"), stamp=value["stamp"])


def run(value: Mapping[str, Any]) -> Run:
    """Returns a run as `cairn run list --json` prints it."""
    return Run(
        id=value["id"], annotator=value["annotator"], parameters=value.get("parameters") or {},
        labels=value.get("labels") or 0, withdrawn=value["withdrawn"])


def operation(value: Mapping[str, Any]) -> Operation:
    """Returns an operation as `cairn operations --json` prints it."""
    return Operation(
        number=value["number"], command=value["command"], time=value["time"], undone=value["undone"],
        undoes=value["undoes"])
