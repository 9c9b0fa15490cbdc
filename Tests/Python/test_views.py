"""Photos and labels as tables, images and training data."""
from __future__ import annotations

import importlib.util
import random

import pytest

import cairn_data
from cairn_data import Dataset


@pytest.fixture
def labeled(ds: Dataset) -> Dataset:
    ds.label_many([(photo, photo.source.split("-")[0]) for photo in ds.photos()], create=True)
    return ds


def test_pandas_and_arrow_have_the_same_rows(labeled: Dataset) -> None:
    frame, table = labeled.photos().to_pandas(), labeled.photos().to_arrow()
    assert list(frame.columns) == table.column_names
    assert frame["id"].tolist() == table["id"].to_pylist()
    assert sorted(name for names in frame["confirmed"] for name in names) == ["blue"] * 4 + ["green"] * 4 + ["red"] * 4
    empty = labeled.photos("label:red label:blue").to_arrow()
    assert empty.num_rows == 0 and empty.column_names == table.column_names
    labels = labeled.labels().to_pandas()
    assert set(labels["verdict"]) == {"present"} and labels["is_human"].all() and len(labels) == 12
    assert labeled.labels().to_arrow().num_rows == 12


def test_columns_have_types_also_without_rows(labeled: Dataset) -> None:
    for query in ("", "label:red label:blue"):
        photos, labels = labeled.photos(query).to_pandas(), labeled.labels(query).to_pandas()
        types = {name: str(kind) for name, kind in [*photos.dtypes.items(), *labels.dtypes.items()]}
        assert (types["id"], types["width"], types["confirmed"]) == ("string", "int64", "object")
        # No photo has a location or a camera.
        assert (types["latitude"], types["camera"]) == ("float64", "string")
        assert (types["is_human"], types["confidence"]) == ("bool", "float64")
        assert types["time"] == "datetime64[ms, UTC]"
        assert str(labeled.labels(query).to_arrow().schema.field("time").type) == "timestamp[ms, tz=UTC]"
    times = [time.isoformat(timespec="milliseconds") for time in labeled.labels().to_pandas()["time"]]
    assert times == [label.time.replace("Z", "+00:00") for label in labeled.labels()]


def test_thumbnails_are_images(labeled: Dataset) -> None:
    photo = next(iter(labeled.photos("label:red")))
    thumbnail = photo.thumbnail()
    assert thumbnail.size == (32, 32) and thumbnail.getpixel((16, 16))[0] > 150
    assert photo.image().size == (32, 32)
    page = labeled.photos()._repr_html_()
    assert page.count("data:image/jpeg;base64,") == 12 and "red ✓" in page


def test_the_grid_and_the_first_photo_respect_the_limit(labeled: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cairn_data.photos, "_SHOWN", 4)
    page = labeled.photos()._repr_html_()
    assert page.count("<figure") == 4 and "4 of 12 photos" in page
    page = labeled.photos(limit=3)._repr_html_()
    assert page.count("<figure") == 3 and "photos" not in page
    assert labeled.photos(limit=0).first() is None and not labeled.photos(limit=0)


def test_images_that_are_not_checked_out(labeled: Dataset) -> None:
    for photo in labeled.photos():
        photo.path.unlink()
    assert photo.image().size == (32, 32)
    data = labeled.photos().to_torch(transform=lambda image: image.size)
    assert data[0][0] == (32, 32) and len(data) == 12
    assert labeled.photos().to_datasets()[0]["image"].size == (32, 32)


def test_a_missing_image_is_named_in_the_grid(labeled: Dataset) -> None:
    for photo in labeled.photos():
        photo.path.unlink()
    for blob in (labeled.path / ".git" / "lfs" / "objects").rglob("*"):
        if blob.is_file():
            blob.unlink()
    assert "<small>" in labeled.photos()._repr_html_()
    with pytest.raises(cairn_data.NotFound, match="images fetch"):
        photo.image()
    with pytest.raises(cairn_data.NotFound):
        labeled.photos().to_torch()
    # Images of photos that are left out are not needed.
    assert len(labeled.photos().to_torch(["oak"])) == 0


def test_training_data_is_without_erased_photos(labeled: Dataset) -> None:
    erased = labeled.photos("label:red").first()
    assert erased
    labeled.command("photo", "erase", erased.id, "--reason", "a face", "--yes")
    data = labeled.photos().to_torch(transform=lambda image: image.size)
    assert len(data) == 11 and erased.id not in data.ids and data[10][0] == (32, 32)
    table = labeled.photos().to_datasets()
    assert len(table) == 11 and erased.id not in table["id"]


def test_map_style_data_for_pytorch(labeled: Dataset) -> None:
    data = labeled.photos().to_torch(transform=lambda image: image.size)
    assert data.classes == ["blue", "green", "red"] and len(data) == 12
    size, target = data[random.randrange(12)]
    assert size == (32, 32) and target in (0, 1, 2)
    several = labeled.photos().to_torch(["red", "oak"], lambda image: image.mode, multilabel=True)
    assert sorted(several.targets, key=str, reverse=True)[:5] == [[1, 0]] * 4 + [[0, 0]]
    assert several[0][0] == "RGB"


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed; `make test-training` runs this")
def test_loader_of_pytorch(labeled: Dataset) -> None:
    import torch

    loader = torch.utils.data.DataLoader(labeled.photos().to_torch(), batch_size=4, num_workers=2)
    assert [tuple(images.shape) for images, _ in loader] == [(4, 3, 32, 32)] * 3


def test_hugging_face_datasets_with_a_split(labeled: Dataset) -> None:
    labeled.command("split", "add", "standard", "train=0.5,test=0.5")
    subsets = labeled.photos(split="standard").to_datasets()
    assert sorted(subsets) == ["test", "train"]
    assert sum(map(len, subsets.values())) == 12
    row = subsets["train"][0]
    assert row["image"].size == (32, 32)
    names = subsets["train"].features["label"].names
    photo = labeled.photo(row["id"])
    assert [names[row["label"]]] == photo.confirmed()
    assert len(labeled.photos("label:red").to_datasets()) == 4
