"""tracectl export --format perfetto, read by Perfetto's own trace processor and messages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
import synthetic_job as made
from export_tools import ExportTools, export_tools
from exported_timeline import Exported, exported, shown_spans, spans
from synthetic_job import MS, US, Rank
from tracectl import tracectl

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

_RUNS = ("recorded", "without imbalance")
GOLDEN_DUMPS = Path(__file__).parents[1] / "golden" / "flight_recorder"


@pytest.fixture(scope="module")
def tools() -> ExportTools:
    return export_tools()


Export = Callable[..., Exported]


@pytest.fixture
def export(tools: ExportTools, tmp_path: Path) -> Iterator[Export]:
    """Exports traces and has the trace processor load the result."""
    numbers = count()
    with ExitStack() as stack:

        def export_and_load(traces: Path, *options: str) -> Exported:
            file = tmp_path / f"{next(numbers)}.pftrace"
            return stack.enter_context(exported(tools, traces, file, options))

        yield export_and_load


def overlapping_job(world: int, operations: int) -> list[Rank]:
    """Returns a job in which each rank sends to the next while others are in flight, then
    all-reduces.
    """
    ranks = [Rank(rank, world) for rank in range(world)]
    for rank in ranks:
        after, before = (rank.rank + 1) % world, (rank.rank - 1) % world
        send, receive = rank.call("send", peer=after), rank.call("recv", peer=before)
        reduce = rank.call("all_reduce", size=1 << 20)
        context = rank.context("layers.0", phase=2)
        for round_number in range(operations // 4):
            at = round_number * MS
            rank.step(round_number, at - 1)
            late = 100 * US if rank.rank == 3 % world else rank.rank * 10
            rank.operation(send, at, at + 300 * US)
            rank.operation(receive, at + 10 * US, at + 350 * US)
            rank.operation(send, at + 20 * US, at + 310 * US)
            begin, end = at + 400 * US + late, at + 700 * US + rank.rank
            wait = (begin + 10 * US, end + US)
            rank.operation(reduce, begin, end, wait_ns=wait, context=context)
    return ranks


def test_overlapping_operations(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=8, operations=40))
    exported = export(traces)
    assert shown_spans(exported) == spans(exported)
    assert "left out" not in exported.stderr
    processes = {row["name"] for row in exported.processor.query("select name from process")}
    assert processes >= {"job", *(f"rank {rank}" for rank in range(8))}
    lanes: dict[tuple[str, str], set[int]] = defaultdict(set)
    for shown in exported.slices():
        lanes[shown["process"], shown["track"]].add(shown["track_id"])
    assert {len(tracks) for tracks in lanes.values()} == {3}
    waits = exported.processor.figure("select count(*) from slice where name = 'wait all_reduce'")
    assert waits == sum("wait_ns" in row for row in exported.source)


def test_arguments_equal_the_source(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=4, operations=12))
    exported = export(traces)
    source = {(f"rank {row['rank']}", row["issue_ns"]): row for row in exported.source}
    slices = exported.slices()
    assert len(slices) == len(source)
    for shown in slices:
        row = source[shown["process"], shown["ts"]]
        args = exported.args(shown["id"])
        assert shown["name"].split()[0] == row["op"]
        assert args["seq"] == row["seq"]
        assert args["step"] == row["step"]
        assert args.get("bytes_in", 0) == row["bytes_in"]
        assert args.get("bytes_out", 0) == row["bytes_out"]
        if row["op"] == "all_reduce":
            assert args["module"] == row["module"]
            assert args["phase"] == row["phase"]
            assert args["latest_rank"] == 3
            # Rank 3 is 100 us late, rank 2 is 20 ns late.
            assert args["latest_by_ns"] == 100 * US - 20


def test_parts_are_in_their_operation(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=4, operations=40))
    exported = export(traces)
    parts = exported.processor.query(
        "select c.ts, c.dur, c.name, p.name as parent, p.ts as begin, p.dur as length "
        "from slice c join slice p on c.parent_id = p.id"
    )
    waiting = [part for part in parts if part["name"] == "for peers"]
    reduces = sum(row["op"] == "all_reduce" for row in exported.source)
    # The last of four ranks does not wait.
    assert len(waiting) == reduces * 3 // 4
    for part in waiting:
        assert part["parent"].startswith("all_reduce")
        assert part["ts"] == part["begin"]
    transfers = [part for part in parts if part["name"] == "transfer" and "all" in part["parent"]]
    assert len(transfers) == reduces
    for part in transfers:
        assert part["ts"] + part["dur"] == part["begin"] + part["length"]


def test_one_correlation_for_all_ranks(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=4, operations=12))
    exported = export(traces)
    ids = {
        row["id"]: int(row["value"].removeprefix("tp:#"))
        for row in exported.processor.query(
            "select s.id, a.string_value as value from slice s join args a using (arg_set_id) "
            "where a.key = 'correlation_id'"
        )
    }
    source = {(f"rank {row['rank']}", row["issue_ns"]): row for row in exported.source}
    slices = exported.slices()
    assert slices
    for shown in slices:
        row = source[shown["process"], shown["ts"]]
        assert f"{ids[shown['id']]:016x}" == row["correlation_id"]


def test_messages_have_arrows(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=4, operations=12))
    exported = export(traces)
    arrows = exported.processor.query(
        "select a.name as sent, b.name as received, pa.name as sender, pb.name as receiver "
        "from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id "
        "join process_track ta on a.track_id = ta.id join process pa on ta.upid = pa.upid "
        "join process_track tb on b.track_id = tb.id join process pb on tb.upid = pb.upid"
    )
    # Each round sends two messages and receives one.
    assert len(arrows) == sum(row["op"] == "recv" for row in exported.source)
    for arrow in arrows:
        assert arrow["sent"].startswith("send")
        assert arrow["received"].startswith("recv")
        sender, receiver = (int(arrow[end].split()[1]) for end in ("sender", "receiver"))
        assert receiver == (sender + 1) % 4


def test_what_is_in_flight(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=2, operations=8))
    exported = export(traces)
    samples = exported.processor.query(
        "select c.ts, c.value, t.name, p.name as process from counter c "
        "join process_counter_track t on c.track_id = t.id join process p using (upid) "
        "where t.name like '%in flight' order by c.id"
    )
    assert len(samples) == 2 * 2 * len(exported.source)
    for name, of_row in (
        ("operations in flight", lambda row: 1),
        ("bytes in flight", lambda row: max(row["bytes_in"], row["bytes_out"])),
    ):
        for rank in range(2):
            rows = [row for row in exported.source if row["rank"] == rank]
            mine = [s for s in samples if (s["name"], s["process"]) == (name, f"rank {rank}")]
            for at, value in {sample["ts"]: sample["value"] for sample in mine}.items():
                under_way = (row for row in rows if row["issue_ns"] <= at < row["end_ns"])
                assert value == sum(map(of_row, under_way))


def test_hosts_apart(export: Export, tmp_path: Path) -> None:
    """The clock of the second host is 50 ms ahead; both know only what operations prove."""
    ranks = [Rank(rank, 4, f"node-{rank // 2}", 50 * MS * (rank // 2)) for rank in range(4)]
    for rank in ranks:
        reduce = rank.call("all_reduce")
        for number in range(50):
            at = number * MS + rank.rank * 10 * US + (number % 5) * US
            rank.operation(reduce, at, number * MS + 100 * US + (number % 3) * US)
    exported = export(made.write(tmp_path / "job", ranks))
    assert shown_spans(exported) == spans(exported)
    machines = exported.processor.figure(
        "select count(distinct coalesce(machine_id, 0)) from process where name like 'rank %'"
    )
    assert machines == 2
    within = exported.processor.query(
        "select c.value from counter c join process_counter_track t on c.track_id = t.id "
        "where t.name = 'clock of node-1 certified within'"
    )
    assert within
    assert max(row["value"] for row in within) < 2 * MS
    # The true instants are known, and each is within its certified interval.
    at = {
        (s["process"], i): s for i, s in enumerate(sorted(exported.slices(), key=lambda s: s["ts"]))
    }
    bound = max(row["value"] for row in within)
    first: dict[str, int] = {}
    for shown in at.values():
        first.setdefault(shown["process"], shown["ts"])
    for rank in range(4):
        truth = made.START_NS + rank * 10 * US
        assert abs(first[f"rank {rank}"] - truth) <= (bound if rank >= 2 else 0)


def test_killed_job(export: Export, tmp_path: Path) -> None:
    """Rank 1 never joins the last operation, in which the others hang."""
    ranks = [Rank(rank, 3) for rank in range(3)]
    for rank in ranks:
        reduce = rank.call("all_reduce")
        rank.operation(reduce, 0, MS)
        if rank.rank != 1:
            rank.operation(reduce, 2 * MS, None)
        # The rank was alive long after that.
        rank.step(1, 60_000 * MS)
    exported = export(made.write(tmp_path / "job", ranks, closed=False))
    assert shown_spans(exported) == spans(exported)
    assert sum(shown["dur"] == -1 for shown in exported.slices()) == 2
    verdicts = exported.processor.query(
        "select s.name, s.dur, p.name as process from slice s join process_track t "
        "on s.track_id = t.id join process p using (upid) where t.name = 'verdicts'"
    )
    assert {row["process"] for row in verdicts} == {"job", "rank 1"}
    assert any("rank 1 never joined all_reduce" in row["name"] for row in verdicts)


@pytest.mark.parametrize("dumps", sorted(GOLDEN_DUMPS.iterdir()), ids=lambda path: path.name)
def test_flight_recorder(export: Export, dumps: Path) -> None:
    exported = export(dumps)
    assert len(exported.slices()) == len(exported.source) > 0
    begins = Counter((f"rank {row['rank']}", row["issue_ns"]) for row in exported.source)
    assert Counter((s["process"], s["ts"]) for s in exported.slices()) == begins


def test_no_operations(export: Export, tmp_path: Path) -> None:
    exported = export(made.write(tmp_path / "job", [Rank(0, 1)]))
    assert exported.slices() == []


def test_one_rank_without_steps(export: Export, tmp_path: Path) -> None:
    rank = Rank(0, 1)
    rank.operation(rank.call("barrier", size=0), 0, MS)
    exported = export(made.write(tmp_path / "job", [rank]))
    assert [s["name"] for s in exported.slices()] == ["barrier"]
    assert exported.processor.query("select * from slice where name like 'step%'") == []


@pytest.mark.parametrize("name", made.EVIL.values(), ids=made.EVIL)
def test_names_are_text(export: Export, tmp_path: Path, name: str) -> None:
    ranks = [Rank(rank, 2, host=name.replace("\x00", "")) for rank in range(2)]
    for rank in ranks:
        group = rank.group(name, range(2), nth=1)
        context = rank.context(name)
        rank.operation(rank.call("all_reduce", group), 0, MS, context=context)
    exported = export(made.write(tmp_path / "job", ranks))
    tracks = exported.processor.query(
        "select distinct name from process_track where name like 'group%'"
    )
    shown = "".join(row["name"] for row in tracks)
    assert shown == f"group {made.harmless(name)}"
    assert not any(ord(c) < 32 or c in "\u202e\u2066" for c in shown)
    assert exported.args(exported.slices()[0]["id"])["module"] == f"Net.{made.harmless(name)}"


def test_many_groups(export: Export, tmp_path: Path) -> None:
    rank = Rank(0, 1)
    for number in range(100_000 - 1):
        group = rank.group(f"g{number}", range(1), nth=number + 1)
        if number % 100 == 0:
            rank.operation(rank.call("barrier", group, size=0), number * US, number * US + 1)
    exported = export(made.write(tmp_path / "job", [rank]))
    assert shown_spans(exported) == spans(exported)


def test_selections(export: Export, tmp_path: Path) -> None:
    ranks = overlapping_job(world=4, operations=40)
    for rank in ranks:
        extra = rank.group("extra", range(4), nth=1)
        rank.operation(rank.call("barrier", extra, size=0), 20 * MS, 21 * MS)
    traces = made.write(tmp_path / "job", ranks)
    some = export(traces, "--ranks", "1-2")
    assert {s["process"] for s in some.slices()} == {"rank 1", "rank 2"}
    assert "only ranks 1, 2; left out: 82 operations of 2 other ranks" in some.stderr
    group = export(traces, "--groups", "extra")
    assert {s["track"] for s in group.slices()} == {"group extra"}
    assert "160 operations of other groups" in group.stderr
    steps = export(traces, "--steps", "2-3")
    # Operations of one rank in that interval are exported for all their members.
    then = {row["correlation_id"] for row in steps.source if row["step"] in (2, 3)}
    parts = [row for row in steps.source if row["correlation_id"] in then]
    assert len(steps.slices()) == len(parts)
    last = export(traces, "--last", "0.005")
    assert len(last.slices()) == 4
    unknown = tracectl("export", traces, "--format", "perfetto", "--groups", "nosuch")
    assert unknown.exit_code == 2
    assert "--groups nosuch: not in these traces; they have: " in unknown.stderr
    refused = tracectl("export", traces, "--ranks", "1")
    assert refused.exit_code == 2


def test_size_of_a_large_job(export: Export, tmp_path: Path) -> None:
    traces = made.write(tmp_path / "job", overlapping_job(world=64, operations=200))
    exported = export(traces)
    assert shown_spans(exported) == spans(exported)
    assert exported.file.stat().st_size <= 78 * len(exported.source)


def test_timeline_of_the_run_without_imbalance(tools: ExportTools, tmp_path: Path) -> None:
    from trace_processor import TraceProcessor

    traces = made.write(tmp_path / "job", overlapping_job(world=4, operations=40))
    file = tmp_path / "ideal.pftrace"
    answer = tracectl("whatif", "--json", "--timeline", file, traces).json()
    with TraceProcessor(file, tools.node, tools.perfetto_release) as processor:
        rows = processor.query(
            "select process.name as process, track.name as track,"
            " max(slice.ts + slice.dur) as end, count(*) as slices,"
            " sum(slice.name glob 'step *') as steps"
            " from slice join process_track as track on slice.track_id = track.id"
            " join process using (upid) group by 1, 2"
        )
    ends = {(row["process"], row["track"]): row["end"] for row in rows}
    ranks = {f"rank {rank}" for rank in range(4)}
    assert set(ends) == {(rank, track) for rank in ranks for track in _RUNS}
    assert {row["steps"] for row in rows} == {10}
    (balance,) = [each for each in answer["answers"] if each["question"] == "balance"]
    for track, ns in zip(_RUNS, (answer["measured_ns"], balance["run_ns"]["value"]), strict=True):
        assert max(ends[rank, track] for rank in ranks) == pytest.approx(ns, rel=0.01)
