"""The context in which operations were issued."""

from __future__ import annotations

import io
import itertools
import pickle
from pathlib import Path

import pytest
import traced
from launcher import Launcher
from traced.reader import Operation, read


def _operations(folder: Path, rank: int) -> tuple[Operation, ...]:
    trace = read(folder / "traces")
    assert trace.warnings == ()
    return tuple(trace.streams[rank].operations)


def test_annotations_are_stamped_on_what_their_thread_issues(
    launcher: Launcher, tmp_path: Path
) -> None:
    processes = launcher.run_ranks(2, "jobs.contexts:annotated", folder=tmp_path)
    sentence = 'a thread ended inside the annotation "left open"'
    for rank in range(2):
        assert processes[rank].output.count(sentence) == 1
        assert [item.annotations for item in _operations(tmp_path, rank)] == [
            ("early",),
            ("early", "outer"),
            ("early", "outer", "inner"),
            ("early", "outer"),
            None,
            ("early", "decorated"),
            ("early",),
            ("early", "left open"),
        ]


def test_threads_that_work_for_another_have_its_annotations(
    launcher: Launcher, tmp_path: Path
) -> None:
    (process,) = launcher.run_ranks(1, "jobs.contexts:for_other_threads", folder=tmp_path)
    assert process.result == [1.0]
    own, autograds = _operations(tmp_path, 0)
    assert own.annotations == autograds.annotations == ("deep",)
    assert own.thread != autograds.thread


def test_a_name_is_a_text() -> None:
    with pytest.raises(TypeError, match="annotate: name must be a str, not int"):
        traced.annotate(3)  # type: ignore[arg-type]


def _pickled(*objects: object) -> int:
    return sum(len(_dumped(item)) for item in objects)


def _dumped(item: object) -> bytes:
    """Pickles an object the way torch.distributed does."""
    stream = io.BytesIO()
    pickle.Pickler(stream).dump(item)
    return stream.getvalue()


def test_object_collectives_are_the_parents_of_their_operations(
    launcher: Launcher, tmp_path: Path
) -> None:
    first, second = launcher.run_ranks(2, "jobs.contexts:object_collectives", folder=tmp_path)
    both = [["x", "xx"], ["from 0", {"a": 1}]]
    assert first.result == [*both, [], [0, 1], ["s0"]]
    assert second.result == [*both, ["sent"], None, ["s1"]]
    sent = {
        ("all_gather_object", 0): _pickled("x"),
        ("all_gather_object", 1): _pickled("xx"),
        ("broadcast_object_list", 0): _pickled("from 0", {"a": 1}),
        ("send_object_list", 0): _pickled("sent"),
        ("gather_object", 0): _pickled(0),
        ("gather_object", 1): _pickled(1),
        ("scatter_object_list", 0): _pickled("s0", "s1"),
    }
    for rank in range(2):
        *children, last = _operations(tmp_path, rank)
        assert (last.op, last.parent) == ("all_reduce", None)
        calls = [key for key, _ in itertools.groupby((c.parent, c.parent_number) for c in children)]
        to_or_from = "send_object_list" if rank == 0 else "recv_object_list"
        # Calls that create groups are numbered, too.
        _, first_number = calls[0]
        names = [
            "all_gather_object",
            "broadcast_object_list",
            to_or_from,
            "gather_object",
            "scatter_object_list",
        ]
        assert calls == list(zip(names, itertools.count(first_number), strict=False))
        for child in children:
            assert child.parent_bytes == sent.get((str(child.parent), rank))


def test_the_optimizer_makes_steps_until_the_program_does(
    launcher: Launcher, tmp_path: Path
) -> None:
    launcher.run_ranks(
        1, "jobs.contexts:stepped_by_optimizers", folder=tmp_path, TRACED_AUTO_STEP="1"
    )
    steps = [item.step for item in _operations(tmp_path, 0)]
    # Three steps of the first optimizer, then those of the second.
    assert steps == [0, 1, 2, 3, 4, 100, 100, 101]


def test_without_the_setting_the_optimizer_makes_none(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(1, "jobs.contexts:stepped_by_optimizers", folder=tmp_path)
    steps = [item.step for item in _operations(tmp_path, 0)]
    assert steps == [None] * 5 + [100, 100, 101]
