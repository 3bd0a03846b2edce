"""tracectl serve on several hosts that exchange their state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from network import Network, network, why_no_networks
from patience import until
from serving import Samples

WHY_NO_NETWORKS = why_no_networks()

pytestmark = pytest.mark.skipif(
    bool(WHY_NO_NETWORKS), reason=f"no networks can be made: {WHY_NO_NETWORKS}"
)


@contextmanager
def job(net: Network, launcher: Launcher, each: int, program: str, *args: str) -> Iterator[None]:
    """Runs a job until its ranks have made all their calls; then releases them."""
    ranks = net.start_ranks(launcher, each, program, *args)
    try:
        until(
            lambda: all(
                (host.folder / f"held.{each * host.number + i}").exists()
                for host in net.hosts
                for i in range(each)
            )
        )
        yield
    finally:
        for host in net.hosts:
            (host.folder / "released").touch()
        for rank in ranks:
            rank.wait()


def _kinds(answer: Any) -> list[str]:
    return [verdict["kind"] for verdict in answer["verdicts"]]


def _if_complete(answer: Any) -> Any:
    """Returns the answer once it has the calls of four ranks: a host sees its own first."""
    calls = [call for verdict in answer["verdicts"] for call in verdict["calls"]]
    return answer if sum(len(call["ranks"]) for call in calls) == 4 else None


@pytest.mark.parametrize("fault", ["reduce op", "left out"])
def test_diverging_hosts_are_reported_on_both(
    launcher: Launcher, tmp_path: Path, fault: str
) -> None:
    with network(2, tmp_path) as net:
        for host in net.hosts:
            host.start_serve("--peers", net.peers)
        with job(net, launcher, 2, "jobs.served_hosts:diverges", fault, "2,3"):
            for host in net.hosts:
                answer = until(lambda at=host: _if_complete(at.verdicts()))
                assert [one["host"] for one in answer["hosts"]] == [
                    host.name,
                    net.hosts[1 - host.number].name,
                ]
                (verdict,) = answer["verdicts"]
                assert (verdict["kind"], verdict["certain"]) == ("diverged", True)
                assert sorted(call["ranks"] for call in verdict["calls"]) == [[0, 1], [2, 3]]
                assert all("served.py" in call["site"] for call in verdict["calls"])
                samples = host.samples()["traced_group_diverged"]
                assert [value for _, value in samples] == [1]


@pytest.mark.parametrize("culprits", ["", "2,3"])
def test_metrics_of_several_hosts_can_be_compared(
    launcher: Launcher, tmp_path: Path, culprits: str
) -> None:
    with network(2, tmp_path) as net:
        for host in net.hosts:
            host.start_serve()
        with job(net, launcher, 2, "jobs.served_hosts:calls_many", culprits):
            seen = [until(lambda at=host: _after_all_calls(at.samples())) for host in net.hosts]
    signatures = [
        {(of["id"], of["block"]): value for of, value in samples["traced_group_signature"]}
        for samples in seen
    ]
    assert signatures[0].keys() == signatures[1].keys()
    differing = {
        block
        for key, block in signatures[0]
        if signatures[0][key, block] != signatures[1][key, block]
    }
    assert differing == ({"1"} if culprits else set())
    assert {block for _, block in signatures[0]} == {"0", "1"}


def _after_all_calls(samples: Samples) -> Samples | None:
    calls = [value for _, value in samples.get("traced_group_calls_total", [])]
    return samples if calls == [130, 130] else None


@pytest.mark.long
def test_four_hosts_are_one_job_whoever_is_asked(launcher: Launcher, tmp_path: Path) -> None:
    with network(4, tmp_path) as net:
        for host in net.hosts:
            host.start_serve("--peers", net.peers, "--waiting-after", "1")
        with job(net, launcher, 2, "jobs.served_hosts:busy"):
            for host in net.hosts:
                up = until(
                    lambda at=host: (
                        len(s := at.samples("/hosts/metrics")["traced_rank_up"]) == 8 and s
                    )
                )
                assert {(of["host"], of["rank"]) for of, _ in up} == {
                    (f"node{rank // 2}", str(rank)) for rank in range(8)
                }
                assert host.verdicts()["verdicts"] == []
                assert "ranks on 4 hosts" in host.get("/")[1]


@pytest.mark.long
def test_a_silent_host_is_left_out(launcher: Launcher, tmp_path: Path) -> None:
    with network(4, tmp_path) as net:
        first, second, third, fourth = net.hosts
        for host in net.hosts:
            host.start_serve("--peers", net.peers, "--waiting-after", "1")

        def waiting() -> Any:
            (answer,) = until(
                lambda: [v for v in first.verdicts()["verdicts"] if v["kind"] == "waiting"]
            )
            return answer

        with job(net, launcher, 2, "jobs.served_hosts:one_is_late", "7"):
            until(lambda: waiting()["not_called"] == [7] and len(waiting()["waiting"]) == 7)
            assert waiting()["on_other_hosts"] == []
            # Killed, and disconnected: its last state counts for some seconds.
            second.end_serve(9)
            fourth.connect(False)
            until(lambda: waiting()["on_other_hosts"] == [2, 3, 6, 7])
            answer = first.verdicts()
            assert waiting()["not_called"] == []
            assert len(answer["warnings"]) == 2
            assert all("its ranks count as not seen" in text for text in answer["warnings"])
            # The other hosts still receive from each other.
            assert {one.get("host") for one in third.verdicts()["hosts"]} >= {"node0", "node2"}
            fourth.connect(True)
            until(lambda: waiting()["not_called"] == [7])
            second.start_serve("--peers", net.peers, "--waiting-after", "1")
            until(lambda: waiting()["on_other_hosts"] == [])
            assert first.verdicts()["warnings"] == []
    assert "--peers: 10.77.0.2:9464 answers again" in first.stderr
