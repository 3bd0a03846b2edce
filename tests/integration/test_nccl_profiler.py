"""NCCL's details of an operation, reported to its profiler plugin, are on the right operations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import traced
from built import built
from launcher import Launcher
from nccl_engines import ENGINES
from simulated_gpu import LONG_WITH_OLDER_TORCH, Refusals, cases
from tracectl import tracectl
from traced.reader import Operation, read

pytestmark = LONG_WITH_OLDER_TORCH

_ON = {"TRACED_NCCL_PROFILER": "1"}
_ROUNDS = 5
_OWN = Path(traced.__file__).with_name("libtraced_nccl_profiler.so")


class _Method(NamedTuple):
    """Holds how an operation was carried out."""

    algorithm: str | None
    protocol: str | None
    channels: int | None


_UNKNOWN = _Method(None, None, None)
_Truth = dict[tuple[int, int], set[_Method]]


def _run(
    gpus: Launcher, folder: Path, program: str, *args: object, **env: str
) -> tuple[list[str], _Truth]:
    """Returns the written streams and, by rank and size, how NCCL really carried out its calls."""
    refusals = Refusals(folder)
    ranks = gpus.run_ranks(
        2,
        f"jobs.gpu_profiled:{program}",
        *args,
        folder=folder,
        TRACED_DIR=str(folder / "traces"),
        SIMULATED_NCCL_TRUTH=str(folder / "truth"),
        **refusals.env,
        **env,
    )
    refusals.assert_none()
    truth: _Truth = {}
    for line in (folder / "truth").read_text().splitlines():
        _, rank, _, _, size, *_, algorithm, protocol, channels = line.split()
        names = [None if name == "-" else name for name in (algorithm, protocol)]
        truth.setdefault((int(rank), int(size)), set()).add(_Method(*names, int(channels)))
    return [rank.output for rank in ranks], truth


def _operations(folder: Path) -> list[tuple[int, Operation]]:
    streams = read(folder / "traces").streams
    assert len(streams) == 2
    return [(stream.rank, item) for stream in streams for item in stream.operations]


def _recorded_method(item: Operation) -> _Method:
    return _Method(item.algorithm, item.protocol, item.channels)


def _size(item: Operation) -> int:
    """Returns the bytes that NCCL reports: of the smaller side, which is one rank's part."""
    sizes = sorted(size for size in (item.bytes_in, item.bytes_out) if size)
    return sizes[0] if sizes else 0


def _calls(folder: Path, least_bytes: int) -> list[tuple[int, Operation]]:
    """Returns the operations outside of batches, without those that set up a group."""
    return [(rank, item) for rank, item in _all_calls(folder, least_bytes) if not item.batch]


def _all_calls(folder: Path, least_bytes: int) -> list[tuple[int, Operation]]:
    """Returns the same, including operations of batches."""
    return [
        (rank, item)
        for rank, item in _operations(folder)
        if max(item.tensors_in or 0, item.tensors_out or 0) == 1 and _size(item) >= least_bytes
    ]


@cases("engine version", ENGINES, (4, 5, 6), short=[("newer", 4), ("newer", 6), ("classic", 5)])
def test_every_event_is_on_its_operation(
    gpus: Launcher, tmp_path: Path, engine: str, version: int
) -> None:
    env = ENGINES[engine] | _ON | {"SIMULATED_NCCL_PROFILER": str(version)}
    _, truth = _run(gpus, tmp_path, "on_threads", "traced:nccl", _ROUNDS, **env)
    calls = _all_calls(tmp_path, 4 * 2048)
    assert len({item.op for _, item in calls}) >= 7
    # NCCL's work at the end of a batch belongs to no known member. This is all work in version 4,
    # and with an engine that calls NCCL only at that point.
    members_are_known = version > 4 and engine == "classic"
    assert any(item.batch for _, item in calls)
    for rank, item in calls:
        (done,) = truth[rank, _size(item)]
        expected = _UNKNOWN if item.batch and not members_are_known else done
        assert _recorded_method(item) == expected, (rank, item)
    batches = [
        _recorded_method(item) for _, item in _operations(tmp_path) if item.op == "coalesced"
    ]
    assert set(batches) == {_UNKNOWN}


@pytest.mark.parametrize(("version", "known"), [(4, False), (6, True)])
def test_what_another_thread_launches_is_joined_by_its_call_or_not_at_all(
    gpus: Launcher, tmp_path: Path, version: int, known: bool
) -> None:
    env = _ON | {"SIMULATED_NCCL_PROFILER": str(version), "SIMULATED_NCCL_LAUNCH_ELSEWHERE": "1"}
    _, truth = _run(gpus, tmp_path, "on_threads", "traced:nccl", 2, **env)
    calls = _calls(tmp_path, 4 * 2048)
    assert calls
    for rank, item in calls:
        (done,) = truth[rank, _size(item)]
        assert _recorded_method(item) == (done if known else _UNKNOWN)


def test_several_methods_are_recorded_as_several(gpus: Launcher, tmp_path: Path) -> None:
    _run(gpus, tmp_path, "on_one_thread", "traced:nccl", **_ON)
    together = [item for _, item in _operations(tmp_path) if (item.tensors_in or 0) > 1]
    assert together
    assert {(item.algorithm, item.protocol) for item in together} == {("several", "several")}


def test_calls_of_others_are_nobodys(gpus: Launcher, tmp_path: Path) -> None:
    _, truth = _run(gpus, tmp_path, "untraced_beside", "traced:nccl", **_ON)
    calls = _calls(tmp_path, 4 * 4096)
    assert 0 < len(calls) < len([key for key in truth if key[1] >= 4 * 4096])
    for rank, item in calls:
        assert {_recorded_method(item)} == truth[rank, _size(item)]
    report = tracectl("report", tmp_path / "traces", "--by", "algorithm,protocol", "--json").json()
    recorded = Counter((item.algorithm, item.protocol) for _, item in _operations(tmp_path))
    reported = {(row["algorithm"], row["protocol"]): row["count"] for row in report["ops"]}
    assert reported == {tuple(name or "-" for name in key): n for key, n in recorded.items()}


def test_a_captured_call_has_no_method(gpus: Launcher, tmp_path: Path) -> None:
    _, truth = _run(gpus, tmp_path, "captured", **_ON)
    calls = _calls(tmp_path, 4 * 2048)
    assert [item.graph is not None for _, item in calls] == [False, True, False] * 2
    for rank, item in calls:
        done = truth[rank, _size(item)]
        assert {_recorded_method(item)} == ({_UNKNOWN} if item.graph is not None else done)


def test_without_the_setting_nothing_is_loaded(gpus: Launcher, tmp_path: Path) -> None:
    ranks = gpus.run_ranks(
        2, "jobs.gpu_profiled:loaded", folder=tmp_path, TRACED_DIR=str(tmp_path / "traces")
    )
    assert [rank.result for rank in ranks] == [("", False)] * 2
    assert {_recorded_method(item) for _, item in _operations(tmp_path)} == {_UNKNOWN}


def _toy_log(gpus: Launcher, folder: Path, version: int, wanted: int, **env: str) -> list[str]:
    """Returns what a user's plugin of this version receives about rank 0's calls, in order."""
    folder.mkdir()
    env |= {
        "TOY_PROFILER_LOG": str(folder / "log"),
        "TOY_PROFILER_WANTED": str(wanted),
        "NCCL_PROFILER_PLUGIN": str(built(f"toy_profiler/libtoy_profiler_v{version}.so")),
    }
    _run(gpus, folder, "on_one_thread", "traced:nccl", **env)
    lines = [line.split(" ", 1) for line in (folder / "log").read_text().splitlines()]
    first = lines[0][0]
    # A communicator is freed after its last piece of work.
    return [line for pid, line in lines if pid == first and not line.startswith("finalize")]


@pytest.mark.parametrize(
    ("version", "wanted"), [(6, 0), (6, 2), (6, 4), (6, 0x700), (6, 0x707), (5, 0x702), (4, 7)]
)
def test_another_plugin_receives_all_of_nccls_events(
    gpus: Launcher, tmp_path: Path, version: int, wanted: int
) -> None:
    alone, behind = (
        _toy_log(gpus, tmp_path / name, version, wanted, TRACED_NCCL_PROFILER=on)
        for name, on in (("alone", "0"), ("behind", "1"))
    )
    assert behind == alone
    started = {line.split()[3] for line in alone if line.startswith("start")}
    assert (wanted != 0) == bool(started)
    for rank, item in _calls(tmp_path / "behind", 4 * 2048):
        assert item.channels is not None, (rank, item)


@pytest.mark.parametrize("exists", [False, True])
def test_a_plugin_that_cannot_receive_events_is_reported(
    gpus: Launcher, tmp_path: Path, exists: bool
) -> None:
    plugin = tmp_path / "libother.so"
    if exists:
        plugin.symlink_to(_OWN)  # it would call itself for ever
    messages, truth = _run(
        gpus, tmp_path, "on_one_thread", "traced:nccl", NCCL_PROFILER_PLUGIN=str(plugin), **_ON
    )
    for text in messages:
        assert text.count(f"NCCL's profiler plugin receives nothing: {plugin}") == 1
    for rank, item in _calls(tmp_path, 4 * 2048):
        assert {_recorded_method(item)} == truth[rank, _size(item)]
