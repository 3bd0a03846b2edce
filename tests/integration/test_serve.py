"""tracectl serve: metrics and alarms of running jobs."""

from __future__ import annotations

import json
import socket
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from jobs.served import FAULTS, STEPS
from launcher import Launcher
from patience import until
from serving import held, once, samples_of, serving
from tracectl import tracectl

_NS = 1e-9


def _of_kinds(samples: Any, name: str) -> dict[tuple[str, str], float]:
    return {
        (labels["op"], labels["group"]): value for labels, value in samples[f"traced_{name}_total"]
    }


def _reported(folder: Path) -> dict[str, dict[tuple[str, str], float]]:
    """Returns a report of the same ranks, under the names of metrics."""
    report = tracectl("report", folder / "traces", "--json").json()
    wanted: dict[str, dict[tuple[str, str], float]] = defaultdict(lambda: defaultdict(float))
    for row in report["ops"]:
        kind = (row["op"], row["group"])
        for name, value in {
            "operations": row["count"],
            "bytes": row["bytes"],
            "own_call_seconds": row["host"]["total_ns"] * _NS,
            "completion_seconds": row["completion"]["total_ns"] * _NS,
            "wait_for_peers_seconds": row["wait_for_peers"]["total_ns"] * _NS,
            "transfer_seconds": row["transfer"]["total_ns"] * _NS,
            "exposed_wait_seconds": row["exposed"]["total_ns"] * _NS,
            "unsplit_operations": row["not_split"],
            "waits_unknown": row["waits_unknown"],
        }.items():
            wanted[name][kind] += value
    return wanted


def test_figures_are_those_of_the_report(launcher: Launcher, tmp_path: Path) -> None:
    with held(launcher, 4, "jobs.served:busy", tmp_path):
        calls = 4 * STEPS * 5 + 2 * STEPS
        # Operations that have just ended are counted a moment later.
        samples = until(
            lambda: (
                (s := once(tmp_path)) and sum(_of_kinds(s, "operations").values()) == calls and s
            )
        )
    wanted = _reported(tmp_path)
    assert sum(wanted["operations"].values()) == calls
    for name, values in wanted.items():
        assert _of_kinds(samples, name) == pytest.approx(values), name
    of_ranks = {int(labels["rank"]): v for labels, v in samples["traced_rank_operations_total"]}
    assert of_ranks == {0: 6 * STEPS, 1: 6 * STEPS, 2: 5 * STEPS, 3: 5 * STEPS}
    assert {v for _, v in samples["traced_rank_step"]} == {STEPS - 1}
    assert not any(v for _, v in samples["traced_rank_lost_records_total"])
    assert not any(v for _, v in samples["traced_group_diverged"])
    assert any(
        (labels["collective"], labels["nranks"], labels["n_nodes"]) == ("AllReduce", "4", "1")
        for labels, _ in samples["nccl_bus_bandwidth_gbs"]
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_diverging_rank_is_reported_before_a_hang(
    launcher: Launcher, tmp_path: Path, fault: str
) -> None:
    verdict = tmp_path / "verdict.json"
    # Renamed, so that a visible file is complete.
    command = f"cat > {verdict}.new && mv {verdict}.new {verdict}"
    with (
        serving(tmp_path, "--on-verdict", command, "--waiting-after", "3600") as serve,
        held(launcher, 4, "jobs.served:diverges", tmp_path, fault),
    ):
        until(verdict.exists)
        first = json.loads(verdict.read_text())
        assert (first["kind"], first["certain"], first["group"]) == ("diverged", True, "default_pg")

        def complete_verdict() -> Any:
            (verdict,) = json.loads(serve.get("/verdicts")[1])["verdicts"]
            return verdict if sum(len(c["ranks"]) for c in verdict["calls"]) == 4 else None

        few, many = until(complete_verdict)["calls"]
        assert few["ranks"] == [2]
        assert many["ranks"] == [0, 1, 3]
        assert few["call"] != many["call"]
        action = complete_verdict()["action"]
        assert (action["action"], action["confidence"]) == ("fix_program", "certain")
        assert (action["rule"], action["ranks"]) == ("calls_differ", [0, 1, 2, 3])
        assert action["hosts"] == [socket.gethostname()]
        assert all("served.py:" in side["site"] for side in (few, many))
        samples = serve.samples()
        assert [value for _, value in samples["traced_group_diverged"]] == [1]
        assert "rank 2 calls" in serve.get("/")[1]


@pytest.mark.parametrize("times", [2, pytest.param(100, marks=pytest.mark.long)])
def test_healthy_jobs_have_no_verdicts(launcher: Launcher, tmp_path: Path, times: int) -> None:
    with serving(tmp_path, "--on-verdict", f"cat >> {tmp_path}/verdicts") as serve:
        for number in range(times):
            folder = tmp_path / f"{number}"
            folder.mkdir()
            env = {"TRACED_RING_DIR": str(tmp_path), "TRACED_DIR": str(tmp_path / "traces")}
            (folder / "released").touch()
            launcher.run_ranks(4, "jobs.served:busy", folder=folder, **env)
            assert json.loads(serve.get("/verdicts")[1])["verdicts"] == []
    assert not (tmp_path / "verdicts").exists()


@pytest.mark.long
def test_a_slow_link_is_reported_until_it_recovers(launcher: Launcher, tmp_path: Path) -> None:
    with held(launcher, 4, "jobs.served:throttled", tmp_path), serving(tmp_path) as serve:

        def slow_peers() -> Any:
            verdicts = json.loads(serve.get("/verdicts")[1])["verdicts"]
            return [v for v in verdicts if v["kind"] == "slow_peer"]

        (tmp_path / "slow").touch()
        (slow,) = until(slow_peers)
        assert slow["ranks"] == [1, 2]
        assert slow["what"] == "a message of 64 KiB from rank 1 to rank 2"
        assert slow["median_ns"] > 5 * slow["others_ns"]
        assert not slow["certain"]
        (tmp_path / "slow").unlink()
        until(lambda: not slow_peers())


@pytest.mark.long
def test_each_restart_of_a_job_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    with serving(tmp_path) as serve:

        def values() -> dict[str, float]:
            return {of["job"]: up for of, up in serve.samples().get("traced_rank_up", [])}

        for number in range(0, 72, 4):
            names = [f"again{number + i}" for i in range(4)]
            ranks = [
                launcher.start_ranks(1, "jobs.served:once", folder=tmp_path, TRACED_JOB=name)[0]
                for name in names
            ]
            until(lambda names=names: set(names) <= set(values()))
            for name in names:
                (tmp_path / f"released.{name}").touch()
            assert [rank.wait() for rank in ranks] == [0] * 4
        last = until(lambda: not any((t := values()).values()) and t)
        # Four at a time: the first eight are those that ended first.
        assert set(last) == {f"again{number}" for number in range(8, 72)}


def test_waiting_ranks_and_culprits_are_reported(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        2, "jobs.followed:one_sleeps", folder=tmp_path, TEST_CULPRIT="1", TRACED_JOB="waits"
    )
    with serving(tmp_path, "--waiting-after", "1") as serve:

        def verdicts_at(seq: int) -> list[Any]:
            verdicts = json.loads(serve.get("/verdicts")[1])["verdicts"]
            return [verdict for verdict in verdicts if verdict["seq"] == seq]

        # On a busy host earlier operations may take as long.
        (verdict,) = until(lambda: verdicts_at(4))
        (tmp_path / "release").touch()
        until(lambda: not json.loads(serve.get("/verdicts")[1])["verdicts"])
    assert (verdict["kind"], verdict["certain"], verdict["op"]) == ("waiting", False, "all_reduce")
    assert (verdict["waiting"], verdict["not_called"], verdict["seq"]) == ([0], [1], 4)
    assert [rank.wait() for rank in ranks] == [0, 0]


def _metrics(folder: Path, rank: int) -> dict[str, float]:
    """Returns the rank's own metrics."""
    file = folder / f"metrics.{rank}"
    until(file.exists)
    values: dict[str, float] = json.loads(file.read_text())
    return values


def test_a_hang_under_ddp_is_reported(launcher: Launcher, tmp_path: Path) -> None:
    """A hang is reported although DDP drops the Work of a collective right after its issue."""
    in_flight = "traced_rank_operations_in_flight"
    with (
        serving(tmp_path, "--waiting-after", "1") as serve,
        held(launcher, 3, "jobs.served:ddp", tmp_path, "1"),
    ):

        def verdicts() -> Any:
            # The initial broadcasts may have taken as long on a busy host.
            verdicts = json.loads(serve.get("/verdicts")[1])["verdicts"]
            return [v for v in verdicts if (v["op"], v["waiting"]) == ("all_reduce", [0, 2])]

        (verdict,) = until(verdicts)
        assert (verdict["kind"], verdict["not_called"]) == ("waiting", [1])
        action = verdict["action"]
        assert (action["action"], action["rule"]) == ("none", "only_observed")
        samples = serve.samples()
        assert {of["rank"]: n for of, n in samples[in_flight]} == {"0": 1, "1": 0, "2": 1}
        oldest = {of["rank"]: s for of, s in samples["traced_rank_oldest_in_flight_seconds"]}
        assert min(oldest["0"], oldest["2"]) >= 1 > oldest["1"] == 0
        for rank, number in enumerate([1, 0, 1]):
            until(lambda r=rank, n=number: _metrics(tmp_path, r).get(in_flight) == n)
        until(lambda: _metrics(tmp_path, 0)["traced_rank_oldest_in_flight_seconds"] >= 1)
        until((tmp_path / "watch.0").exists)


def test_healthy_training_under_ddp_raises_no_alarm(launcher: Launcher, tmp_path: Path) -> None:
    with (
        serving(tmp_path, "--waiting-after", "1") as serve,
        held(launcher, 3, "jobs.served:ddp", tmp_path),
    ):
        # The ranks are held for longer than an operation may take.
        def are_idle() -> bool:
            ages = serve.samples().get("traced_rank_seconds_since_operation", [])
            return len(ages) == 3 and min(age for _, age in ages) > 1.5

        until(are_idle)
        assert json.loads(serve.get("/verdicts")[1])["verdicts"] == []
        samples = serve.samples()["traced_rank_operations_in_flight"]
        assert [number for _, number in samples] == [0, 0, 0]
        for rank in range(3):
            assert _metrics(tmp_path, rank)["traced_rank_operations_in_flight"] == 0
    assert "over:" not in serve.stderr


def test_a_text_file_for_node_exporter(launcher: Launcher, tmp_path: Path) -> None:
    file = tmp_path / "traced.prom"
    with (
        held(launcher, 2, "jobs.served:busy", tmp_path),
        serving(tmp_path, "--textfile", str(tmp_path)),
    ):
        until(lambda: file.exists() and "traced_operations_total" in file.read_text())
        assert samples_of(file.read_text())["traced_serve_jobs"] == [({}, 1)]


def test_requests_are_not_trusted(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    with serving(tmp_path, "--token-file", str(token)) as serve:
        assert serve.get("/metrics")[0] == 401
        assert serve.get("/metrics", Authorization="Bearer secre")[0] == 401
        allowed = {"Authorization": "Bearer secret"}
        until(lambda: serve.get("/metrics", **allowed)[0] == 200)
        assert serve.get("/metrics?x=1", **allowed)[0] == 200
        assert serve.get("/../../etc/passwd", **allowed)[0] == 404
        assert serve.get("/metrics", "POST", **allowed)[0] == 405
        for hostile in (
            b"",
            b"\0" * 100,
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n" + b"x" * 100_000,
            b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        ):
            with socket.create_connection(("127.0.0.1", serve.port)) as connection:
                try:
                    connection.sendall(hostile)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(4096):
                        pass
                except OSError:
                    pass
        assert serve.get("/metrics", **allowed)[0] == 200
        assert serve.process.poll() is None


def test_settings_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for options, message in {
            ("--listen", f"{port}"): "choose another port",
            ("--listen", "0.0.0.0:0"): "--token-file",
            ("--listen", "nowhere:1", "--token-file", __file__): "no address",
            ("--listen", "99999"): "no port",
            ("--token-file", str(tmp_path / "none")): "no token",
        }.items():
            answer = tracectl("serve", str(tmp_path), *options)
            assert answer.exit_code == 2
            assert message in answer.stderr
