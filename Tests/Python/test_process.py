"""Requests that cannot be sent, processes that end, open iterations and forked workers."""
from __future__ import annotations

import os
import pathlib
import pickle
import signal
import subprocess
import sys
from typing import Any, Mapping

import pytest

import cairn_data
from cairn_data import CairnError, Dataset, _process
from conftest import paint

LONG = "a long text " * 1000


@pytest.fixture
def long(ds: Dataset) -> Dataset:
    """The dataset with more text than fits into a pipe."""
    ds.label(ds.photos(), "red", create=True, text=LONG)
    return ds


def processes(ds: Dataset) -> set[int]:
    """Returns the ids of the processes that serve a dataset."""
    return {child._process.pid for child in ds.process._children}


def test_refuses_values_that_are_not_json(ds: Dataset) -> None:
    photo = next(iter(ds.photos()))
    with pytest.raises(cairn_data.InvalidInput, match="not JSON"):
        ds.label(photo, "red", confidence=float("nan"), create=True)
    with pytest.raises(cairn_data.InvalidInput, match="not JSON"):
        ds.predict(lambda photos: [None] * len(photos), model="net@1", parameters={"loss": float("inf")})
    with pytest.raises(cairn_data.InvalidInput, match="surrogates"):
        ds.photo(os.fsdecode(b"\xff.png"))
    assert len(ds.photos()) == 12 and not ds.runs()


def test_reports_a_request_that_is_too_long_and_goes_on(ds: Dataset) -> None:
    with pytest.raises(cairn_data.InvalidInput, match="larger than the limit"):
        ds.label(ds.photos(), "red", create=True, text="x" * (1 << 20))
    with pytest.raises(cairn_data.InvalidInput, match="nested"):
        nested: list[object] = []
        for _ in range(40):
            nested = [nested]
        ds.predict(lambda photos: [None] * len(photos), model="net@1", parameters={"layers": nested})
    assert len(ds.photos()) == 12


def test_labels_more_photos_than_fit_into_a_request(ds: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = list(ds.photos()) * 50
    line = _process._line
    sizes: list[int] = []

    def counting(action: str, members: Mapping[str, Any]) -> bytes:
        sizes.append(len(members["photos"]))
        return line(action, members)

    monkeypatch.setattr(_process, "_line", counting)
    edits = ds.label(photos, "red", create=True)
    assert len(edits) == 600 and sum(edit.changed for edit in edits) == 12 and sizes == [500, 100]
    assert ds.label([], "red") == []


def test_keeps_the_labels_before_an_unknown_photo(ds: Dataset) -> None:
    with pytest.raises(cairn_data.NotFound, match="nowhere"):
        ds.label([*list(ds.photos()) * 42, "nowhere.png"], "red", create=True)
    assert len(ds.photos("label:red")) == 12


def test_an_operation_has_a_process_to_itself(ds: Dataset) -> None:
    first, second = list(ds.photos(limit=2))
    ds.label([first, second], "red", create=True)
    count = len(ds.operations())
    with ds.process.operation() as request:
        request("unlabel", photos=[first.id], **{"class": "red"})
        [own] = processes(ds)
        ds.label(first, "green", create=True)
        assert len(processes(ds)) == 2
        request("unlabel", photos=[second.id], **{"class": "red"})
    assert len(ds.operations()) == count + 2
    ds.undo()
    assert not ds.photos("label:green") and not ds.photos("label:red")
    ds.undo()
    assert len(ds.photos("label:red")) == 2 and own in processes(ds)
    # After its process was killed, another one begins an operation.
    with ds.process.operation() as request:
        request("unlabel", photos=[first.id], **{"class": "red"})
        for child in list(ds.process._children):
            child._process.kill()
            child._process.wait()
        request("unlabel", photos=[second.id], **{"class": "red"})
    assert not ds.photos("label:red")


def test_labels_at_length_while_it_iterates(long: Dataset) -> None:
    name = "common spotted orchid " * 8
    photos = long.photos().with_labels()
    first = next(photos)
    # Neither the rest of the photos nor this request fits into a pipe.
    assert long.label_many([(first, name)] * 500, create=True) == 1
    assert sum(1 for _ in photos) == 11
    # Both processes wait for requests.
    assert len(processes(long)) == 2


def test_iterations_within_iterations(long: Dataset) -> None:
    pairs = [(one.id, other.id) for one in long.photos().with_labels() for other in long.photos().with_labels()]
    assert len(set(pairs)) == 144
    assert len(list(zip(long.photos().with_labels(), long.photos().with_labels()))) == 12


def test_ends_the_process_of_an_abandoned_iteration(long: Dataset) -> None:
    before = processes(long)
    photos = iter(long.photos().with_labels())
    next(photos)
    [busy] = processes(long) - before or before
    del photos
    assert busy not in processes(long)
    assert long.photos().first() is not None and len(long.photos()) == 12


def test_starts_another_process_after_one_was_killed(ds: Dataset) -> None:
    assert len(ds.photos()) == 12
    for process in processes(ds):
        os.kill(process, signal.SIGKILL)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    assert len(ds.photos()) == 12


def test_an_iteration_whose_process_is_killed_fails(long: Dataset) -> None:
    long.close()
    photos = long.photos().with_labels()
    next(photos)
    [process] = processes(long)
    os.kill(process, signal.SIGKILL)
    assert len(long.photos()) == 12
    with pytest.raises(CairnError, match="ended unexpectedly"):
        list(photos)
    assert process not in processes(long)


def test_an_iteration_over_a_closed_dataset_fails(ds: Dataset) -> None:
    photos = iter(ds.photos())
    next(photos)
    ds.close()
    with pytest.raises(CairnError, match="closed"):
        next(photos)
    assert len(ds.photos()) == 12


def test_closes_while_a_forked_worker_lives(long: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine may need long to end a process.
    monkeypatch.setattr(_process, "_TIMEOUT", 60)
    photos = long.photos().with_labels()
    next(photos)
    assert len(long.photos()) == 12
    idle = [child for child in long.process._children if child.is_idle]
    readable, writable = os.pipe()
    worker = os.fork()
    if worker == 0:
        # The worker has no part in the iteration of its parent, but may read the dataset itself.
        os.close(writable)
        try:
            next(photos)
        except CairnError:
            del photos
            count = len(long.photos())
            long.close()
            os.read(readable, 1)
            os._exit(count)
        os._exit(1)
    assert sum(1 for _ in photos) == 11
    long.close()
    # It saw the end of its input, and was not killed.
    assert [child._process.returncode for child in idle] == [0]
    os.close(writable)
    os.close(readable)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 12


def test_ends_the_process_of_an_interrupted_request(ds: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(child: _process._Child, request: bytes) -> None:
        child.is_idle = False
        raise KeyboardInterrupt

    assert len(ds.photos()) == 12
    with monkeypatch.context() as patch:
        patch.setattr(_process._Child, "send", interrupt)
        with pytest.raises(KeyboardInterrupt):
            len(ds.photos())
    assert not processes(ds) and len(ds.photos()) == 12


def test_ctrl_c_is_for_python_alone(ds: Dataset) -> None:
    assert len(ds.photos()) == 12
    assert {os.getsid(process) for process in processes(ds)} == processes(ds)


def program(folder: pathlib.Path, text: str) -> str:
    """Writes a stand-in for cairn."""
    path = folder / "stand-in"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_command_that_is_killed_fails(ds: Dataset, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN", program(tmp_path, "kill -KILL $$"))
    with pytest.raises(CairnError, match="signal 9"):
        ds.sync()
    monkeypatch.setenv("CAIRN", program(tmp_path, """printf '{"photos": ['; echo no memory >&2; exit 137"""))
    with pytest.raises(CairnError, match="not complete JSON.*no memory"):
        ds.sync()
    report = '[1, {"status": "failed", "note": null}, {"error": "no"}, {"error": {"message": "no such host"}}]'
    monkeypatch.setenv("CAIRN", program(tmp_path, f"echo '{report}'; exit 68"))
    with pytest.raises(CairnError, match="no no such host"):
        ds.sync()


def test_an_error_has_the_report_of_what_was_done(ds: Dataset, tmp_path: pathlib.Path) -> None:
    (tmp_path / "photos" / "broken.png").write_text("not an image")
    paint(tmp_path / "photos", 5)
    with pytest.raises(CairnError, match="broken.png is not an image") as caught:
        ds.add(tmp_path / "photos")
    assert [item["status"] for item in caught.value.report].count("added") == 3 and len(ds.photos()) == 15
    assert pickle.loads(pickle.dumps(caught.value)).report == caught.value.report


def test_reads_messages_in_any_locale(ds: Dataset) -> None:
    code = """if True:
        import sys, cairn_data
        ds = cairn_data.open(sys.argv[1])
        names = [pin["name"] for pin in ds.command("pin", "list")]
        try:
            ds.command("label", "nowhere.png", "red")
        except cairn_data.NotFound as problem:
            print(ascii(names), ascii(problem.message))
    """
    ds.command("pin", "add", "56.8", "-5", "--name", "Übung")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    output = subprocess.run(
        [sys.executable, "-c", code, str(ds.path)], env={**os.environ, **ascii_only}, check=True, capture_output=True)
    assert rb"['\xdcbung']" in output.stdout and rb"\u201c" in output.stdout
