"""Photos as training data."""
from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Callable, Sequence

from .errors import NotFound

if TYPE_CHECKING:
    from .photos import Photos
    from .records import Photo


def _classes(photo: Photo, states: Sequence[str]) -> list[str]:
    return [resolution.key for resolution in photo.classes if resolution.state in states]


def _image_path(photo: Photo) -> pathlib.Path | None:
    """Returns the path of a photo's image; None if it was erased."""
    try:
        return photo.image_path()
    except NotFound as problem:
        if problem.kind != "erased":
            raise
        return None


class TorchDataset:
    """A map-style dataset for `torch.utils.data.DataLoader`, whose workers may be other processes."""

    def __init__(
        self, photos: Photos, classes: list[str] | None, transform: Callable[[Any], Any] | None, multilabel: bool,
        states: Sequence[str],
    ) -> None:
        found = [(photo, _classes(photo, states)) for photo in photos]
        self.classes = classes if classes is not None else sorted({key for _, keys in found for key in keys})
        """The keys of the classes, in the order of the targets."""
        self.ids: list[str] = []
        """The ids of the photos."""
        self.targets: list[int] | list[list[int]]
        """The index of each photo's class, or a list of 0 and 1 for each photo."""
        self._paths: list[pathlib.Path] = []
        self._transform = transform
        single: list[int] = []
        multiple: list[list[int]] = []
        for photo, keys in found:
            indices = [index for index, key in enumerate(self.classes) if key in keys]
            if not multilabel and len(indices) != 1:
                continue
            path = _image_path(photo)
            if path is None:
                continue
            self.ids.append(photo.id)
            self._paths.append(path)
            if multilabel:
                multiple.append([int(index in indices) for index in range(len(self.classes))])
            else:
                single.append(indices[0])
        self.targets = multiple if multilabel else single

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        from PIL import Image, ImageOps

        with Image.open(self._paths[index]) as file:
            image = ImageOps.exif_transpose(file).convert("RGB")
        target: Any = self.targets[index]
        if self._transform is not None:
            return self._transform(image), target
        import numpy
        import torch

        pixels = numpy.asarray(image, dtype=numpy.float32) / 255
        if isinstance(target, list):
            target = torch.tensor(target, dtype=torch.float32)
        return torch.from_numpy(pixels).permute(2, 0, 1), target


def to_datasets(photos: Photos, classes: list[str] | None, states: Sequence[str], has_split: bool) -> Any:
    """Returns a `datasets.Dataset`, or a `DatasetDict` of the subsets of the split."""
    import datasets

    paths = {photo: path for photo in list(photos) if (path := _image_path(photo))}
    found = list(paths)
    names = classes if classes is not None else sorted({key for photo in found for key in _classes(photo, states)})
    features = datasets.Features({
        "image": datasets.Image(), "id": datasets.Value("string"), "label": datasets.ClassLabel(names=names),
        "labels": datasets.Sequence(datasets.ClassLabel(names=names))})

    def table(chosen: Sequence[Photo]) -> Any:
        keys = [[key for key in _classes(photo, states) if key in names] for photo in chosen]
        return datasets.Dataset.from_dict({
            "image": [str(paths[photo]) for photo in chosen], "id": [photo.id for photo in chosen],
            "label": [names.index(one[0]) if len(one) == 1 else None for one in keys],
            "labels": [[names.index(key) for key in one] for one in keys]}, features=features)

    if not has_split:
        return table(found)
    subsets = dict.fromkeys(photo.split for photo in found)
    return datasets.DatasetDict(
        {subset: table([photo for photo in found if photo.split == subset]) for subset in sorted(map(str, subsets))})
