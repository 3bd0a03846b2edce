"""A process that returns as another rank, or changes its folder, keeps its whole trace."""

from __future__ import annotations

from pathlib import Path

from jobs.moving import CALLS
from launcher import Launcher
from tracectl import tracectl
from traced.reader import Stream, read


def _streams(folder: Path) -> dict[tuple[int, int], list[Stream]]:
    found: dict[tuple[int, int], list[Stream]] = {}
    for stream in read(folder / "traces").streams:
        assert stream.header is not None
        place = stream.header.world_size, stream.header.rank
        found.setdefault(place, []).append(stream)
    return found


def test_a_process_that_becomes_another_rank_begins_another_trace(
    launcher: Launcher, tmp_path: Path
) -> None:
    ranks = launcher.run_ranks(2, "jobs.moving:warms_up_alone", folder=tmp_path)
    for process in ranks:
        first, second = process.result
        assert first != second
    streams = _streams(tmp_path)
    assert {place: len(found) for place, found in streams.items()} == {
        (1, 0): 2, (2, 0): 1, (2, 1): 1,
    }  # fmt: skip
    for (size, _), found in streams.items():
        for stream in found:
            assert len(stream.operations) == (1 if size == 1 else CALLS)
            assert (stream.closed, stream.missing) == (True, 0)
    info = tracectl("info", "--json", tmp_path / "traces").json()
    assert [rank["rank"] for rank in info["ranks"]] == [0, 1]
    assert not list(tmp_path.glob("traced.*.ring"))


def test_a_process_that_rejoins_as_the_same_rank_continues(
    launcher: Launcher, tmp_path: Path
) -> None:
    for process in launcher.run_ranks(2, "jobs.moving:comes_back_as_itself", folder=tmp_path):
        assert len(set(process.result)) == 1
    for found in _streams(tmp_path).values():
        assert [len(stream.operations) for stream in found] == [2]


def test_a_process_that_changes_its_folder_keeps_its_parts(
    launcher: Launcher, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (process,) = launcher.run_ranks(
        1, "jobs.moving:goes_elsewhere", str(elsewhere), folder=tmp_path, TRACED_MAX_BYTES="1M"
    )
    location, written = process.result
    assert Path(location).is_absolute()
    assert written
    (stream,) = read(tmp_path / "traces").streams
    assert len(list((tmp_path / "traces").rglob("*.traced"))) == 2
    assert stream.accounts is not None
    assert set(stream.accounts.drops) == {"retention"}
    assert stream.closed
    assert not any(elsewhere.iterdir())


def test_a_file_is_opened_again_from_elsewhere(launcher: Launcher, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (process,) = launcher.run_ranks(
        1, "jobs.moving:loses_its_descriptors", str(elsewhere), folder=tmp_path
    )
    assert process.result
    (stream,) = read(tmp_path / "traces").streams
    assert (len(stream.operations), stream.closed) == (2, True)


def test_an_export_has_all_parts(launcher: Launcher, tmp_path: Path) -> None:
    (process,) = launcher.run_ranks(
        1, "jobs.moving:exports", 50_000, folder=tmp_path, TRACED_MAX_BYTES="1M"
    )
    parts = sorted((tmp_path / "traces").rglob("*.traced"))
    assert len(parts) == 2
    rows, recorded = process.result
    assert 0 < rows == recorded < 50_000
