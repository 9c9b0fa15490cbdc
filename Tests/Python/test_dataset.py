"""Reading and labeling a dataset."""
from __future__ import annotations

import copy
import dataclasses
import pathlib
import pickle
import re
import sys

import pytest

import cairn_data
from cairn_data import Dataset, errors
from conftest import paint


def color(photo: cairn_data.Photo) -> str:
    return photo.source.split("-")[0]


def test_iterates_over_the_photos_of_a_query(ds: Dataset) -> None:
    photos = list(ds.photos())
    assert len(photos) == len(ds.photos()) == 12
    assert all(photo.path.is_file() and photo.width == 32 for photo in photos)
    assert [photo.id for photo in ds.photos(limit=2)] == [photo.id for photo in photos[:2]]
    assert not ds.photos("-is:unlabeled") and ds.photos()


def test_labels_while_it_iterates(ds: Dataset) -> None:
    for photo in ds.photos():
        assert ds.label(photo, color(photo), create=True)[0].changed
    assert {item.key: item.photos for item in ds.classes()} == {"red": 4, "green": 4, "blue": 4}
    assert all(photo.confirmed() == [color(photo)] for photo in ds.photos())


def test_labels_by_path_and_reads_a_label_back(ds: Dataset, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "photos" / "red-0.png"
    ds.label(path, "red", create=True, box=(0.1, 0.2, 0.5, 0.4), text="a red square")
    [label] = ds.labels("label:red")
    assert (label.key, label.annotator, label.is_human) == ("red", "human:alice@example.org", True)
    assert label.text == "a red square" and label.region is not None
    photo = ds.photo(path)
    assert photo.labels == (label,) and photo.classes[0].state == "confirmed"
    assert ds.why(photo, "red")["classes"][0]["state"] == "confirmed"
    assert ds.unlabel(photo, "red")[0].label.verdict == "withdrawn"


def test_many_labels(ds: Dataset) -> None:
    pairs = [(photo, color(photo)) for photo in ds.photos()] * 20
    assert ds.label_many(pairs, create=True) == 12


def test_errors_carry_kind_hint_and_exit_code(ds: Dataset, tmp_path: pathlib.Path) -> None:
    with pytest.raises(cairn_data.NotFound) as caught:
        ds.label(next(iter(ds.photos())), "heathr")
    assert caught.value.kind == "not-found" and caught.value.exit_code == 66 and caught.value.hint
    with pytest.raises(cairn_data.InvalidInput):
        list(ds.photos("state:nonsense"))
    with pytest.raises(cairn_data.NoDataset):
        cairn_data.open(tmp_path)
    with pytest.raises(cairn_data.AlreadyExists):
        cairn_data.create(ds.path)
    other = pickle.loads(pickle.dumps(caught.value))
    assert (other.kind, other.hint, other.exit_code) == (caught.value.kind, caught.value.hint, 66)
    # The process goes on after errors.
    assert len(ds.photos()) == 12


def test_kinds_of_errors_have_classes() -> None:
    swift = (pathlib.Path(__file__).parents[2] / "Sources/Cairn/Errors/CairnError.swift").read_text()
    cases = re.findall(r"^    case (\w+)(?: = \"([\w-]+)\")?$", swift, re.M)
    classes = {kind or name: type(errors.error({"kind": kind or name})) for name, kind in cases}
    general = {kind for kind, chosen in classes.items() if chosen is cairn_data.CairnError}
    assert general == {"unconfirmed", "unfinished", "git", "cancelled", "internal"}
    assert classes["permission"] is classes["file-system"] is cairn_data.DiskError
    # A kind of a later version.
    assert type(errors.error({"kind": "asleep", "exitCode": 69})) is cairn_data.RemoteError


def test_abandoned_iteration_disturbs_nothing(ds: Dataset) -> None:
    photos = iter(ds.photos())
    first = next(photos)
    del photos
    assert ds.photo(first).id == first.id


def test_records_the_predictions_of_a_function_as_a_run(ds: Dataset) -> None:
    def model(photos: list[cairn_data.Photo]) -> list[dict[str, float]]:
        return [{color(photo): 0.9, "other": 0.1} for photo in photos]

    run = ds.predict(model, model="colors@1", parameters={"size": 32}, batch_size=5, threshold=0.5)
    assert run.labels == 12
    assert [(item.annotator, item.labels) for item in ds.runs()] == [("model:colors@1", 12)]
    photo = next(iter(ds.photos("state:predicted")))
    evidence = ds.why(photo)["classes"][0]["evidence"][0]
    assert evidence["annotator"] == "model:colors@1" and evidence["label"]["run"] == run.id
    ds.accept(photo, color(photo))
    ds.withdraw(run)
    assert len(ds.photos("state:predicted")) == 0 and len(ds.photos("state:confirmed")) == 1


def test_a_prediction_may_be_the_name_of_a_class(ds: Dataset) -> None:
    def model(photos: list[cairn_data.Photo]) -> list[str | None]:
        return [None if color(photo) == "blue" else color(photo) for photo in photos]

    assert ds.predict(model, model="colors@1").labels == 8
    assert sorted(item.key for item in ds.classes()) == ["green", "red"]


def test_a_run_starts_with_its_first_labels(ds: Dataset) -> None:
    def broken(photos: list[cairn_data.Photo]) -> list[str]:
        raise ValueError("no weights")

    with pytest.raises(ValueError):
        ds.predict(broken, model="broken@1")
    with pytest.raises(cairn_data.InvalidInput, match="1 predictions for 12 photos"):
        ds.predict(lambda photos: ["red"], model="broken@1")
    with pytest.raises(cairn_data.InvalidInput, match="not JSON"):
        ds.predict(lambda photos: [{"red": float("nan")} for _ in photos], model="broken@1", threshold=0.5)
    assert not any(run.labels for run in ds.runs())
    run = ds.predict(lambda photos: [None] * len(photos), model="shy@1")
    assert run.labels == 0 and run.id in [item.id for item in ds.runs()]


def test_an_exception_names_the_run_whose_labels_were_written(
    ds: Dataset, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cairn_data.dataset, "_PIECE", 2)
    photos = [photo.id for photo in ds.photos()]

    def exhausted(batch: list[cairn_data.Photo]) -> list[str]:
        if batch[0].id == photos[3]:
            raise MemoryError
        return ["red"]

    with pytest.raises(MemoryError) as caught:
        ds.predict(exhausted, model="large@1", batch_size=1)
    [run] = ds.runs()
    assert run.labels == 2
    if sys.version_info >= (3, 11):
        assert run.id in caught.value.__notes__[0]


def test_photos_labels_and_runs_are_values(ds: Dataset) -> None:
    ds.label(next(iter(ds.photos())), "red", create=True, box=(0.1, 0.2, 0.5, 0.4))
    ds.predict(lambda photos: ["red"] * len(photos), "-label:red", model="net@1", parameters={"size": 32})
    photos = list(ds.photos().with_labels())
    assert len({*photos, *ds.photos().with_labels()}) == 12
    assert len({*ds.labels(), *ds.labels()}) == 12 and len({*ds.runs(), *ds.runs()}) == 1
    for photo in (pickle.loads(pickle.dumps(photos[0])), copy.deepcopy(photos[0])):
        assert photo == photos[0] and photo.thumbnail_bytes() == photos[0].thumbnail_bytes()
        photo.dataset.close()
    assert dataclasses.asdict(photos[0])["id"] == photos[0].id


def test_syncs_with_another_copy(ds: Dataset, tmp_path: pathlib.Path) -> None:
    remote = tmp_path / "walk.git"
    ds.command("remote", "add", "origin", str(remote), "--create")
    ds.sync()
    cairn_data.open(ds.path).command("clone", str(remote), str(tmp_path / "second"))
    with cairn_data.open(tmp_path / "second") as second:
        second.label(tmp_path / "photos" / "blue-1.png", "blue", create=True)
        second.sync()
    ds.sync()
    assert len(ds.photos("label:blue")) == 1


def test_undoes_what_was_done_last(ds: Dataset) -> None:
    photos = list(ds.photos())
    ds.label(photos[:2], "red", create=True)
    ds.label(photos[2], "red")
    last, earlier = ds.operations(limit=2)
    assert last.number > earlier.number and not last.undone and last.undoes is None
    ds.undo()
    assert len(ds.photos("label:red")) == 2
    redo, last = ds.operations(limit=2)
    assert last.undone and redo.undoes == last.number
    ds.undo(earlier)
    assert len(ds.photos("label:red")) == 0
    ds.undo(redo.number)
    assert ds.photo(photos[2]).confirmed() == ["red"]
    with pytest.raises(cairn_data.NotFound):
        ds.undo(12345)


def test_a_call_for_many_photos_is_one_operation(ds: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cairn_data.dataset, "_PIECE", 5)
    photos = list(ds.photos())
    count = len(ds.operations())
    assert ds.label_many(((photo, "red") for photo in ds.photos()), create=True) == 12
    ds.label(photos, "green", create=True)
    ds.unlabel(photos, "red")
    assert len(ds.operations()) == count + 3
    ds.undo()
    assert len(ds.photos("label:red")) == len(ds.photos("label:green")) == 12
    ds.undo()
    assert not ds.photos("label:green")
    ds.undo()
    assert not ds.photos("label:red")

    with pytest.raises(cairn_data.NotFound):
        ds.label([*photos, "nowhere.png"], "red", create=True)
    assert len(ds.photos("label:red")) == 10
    ds.undo()
    assert not ds.photos("label:red")


def test_undoes_all_predictions_of_a_call(ds: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cairn_data.dataset, "_PIECE", 5)
    count = len(ds.operations())
    ds.predict(lambda photos: ["blue"] * len(photos), model="net@1", batch_size=4)
    assert len(ds.operations()) == count + 1 and len(ds.photos("state:predicted")) == 12
    ds.undo()
    assert not ds.photos("state:predicted")
    # What the function itself changes is an operation of its own.
    photos = list(ds.photos())

    def labeling(batch: list[cairn_data.Photo]) -> list[str]:
        ds.label(batch[0], "green", create=True)
        return ["violet"] * len(batch)

    count = len(ds.operations())
    ds.predict(labeling, model="net@2", batch_size=4)
    operations = ds.operations()
    assert len(operations) == count + 4
    [prediction] = [item for item in operations[:4] if item.command == "batch: run start"]
    ds.undo(prediction)
    assert not ds.photos("state:predicted") and len(ds.photos("label:green")) == len(photos) // 4


def test_trains_a_model_and_measures_it(home: pathlib.Path, tmp_path: pathlib.Path) -> None:
    paint(tmp_path / "photos", 12)
    with cairn_data.create(tmp_path / "colors") as ds:
        ds.add(tmp_path / "photos")
        photos, rows = ds.features()
        assert sorted(photos) == sorted(photo.id for photo in ds.photos())
        assert rows.shape[0] == 36 and rows.dtype == "float32" and len(set(map(bytes, rows))) > 1

        with pytest.raises(cairn_data.InvalidInput):
            ds.train("colors")
        ds.label_many([(photo, color(photo)) for photo in ds.photos()], create=True)
        red, reds = ds.features("-label:green -label:blue")
        assert len(red) == 12 and (reds == rows[[photos.index(photo) for photo in red]]).all()

        ds.command("class", "set", "color", "red", "green", "blue")
        report = ds.train("colors", exclusive_set="color")
        assert [run.id for run in ds.runs()] == [report["run"]] and report["photos"] == 36
        two = ds.train("two", "-label:blue", classes=["red", "green"])
        assert [item["class"] for item in two["classes"]] == ["green", "red"] and two["photos"] == 24

        ds.predict(lambda photos: [{color(photo): 0.9} for photo in photos], model="net@1")
        ds.predict(lambda photos: ["blue"] * len(photos), model="other@1")
        [measured] = ds.evaluate("label:red", models=["net"], classes=["red"])
        assert measured["model"] == "net@1" and [item["class"] for item in measured["classes"]] == ["red"]


def test_two_objects_see_each_other(ds: Dataset) -> None:
    with cairn_data.open(ds.path / "photos") as other:
        photo = next(iter(ds.photos()))
        other.label(photo, "red", create=True)
        assert ds.photo(photo).confirmed() == ["red"] and len(ds.photos("label:red")) == 1
