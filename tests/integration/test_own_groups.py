"""Groups that connect other ranks than those that they name."""

from __future__ import annotations

import json
from pathlib import Path

from launcher import Launcher
from tracectl import tracectl
from traced.reader import read

_ABOUT_GROUPS = {"shared_group_name", "ended_unjoined"}


def test_groups_that_each_rank_makes_alone(launcher: Launcher, tmp_path: Path) -> None:
    launcher.run_ranks(4, "jobs.own_groups:each_makes_its_own", folder=tmp_path)
    answer = tracectl("diagnose", "--json", tmp_path / "traces")
    assert answer.exit_code == 1, answer.stderr
    verdicts = json.loads(answer.output)["verdicts"]
    assert verdicts[0]["kind"] == "shared_group_name"
    assert verdicts[0]["finding_confidence"] == "certain"
    assert verdicts[0]["ranks"] == [0, 1, 2, 3]
    assert 'the name "1" to "ep" (ranks 0-1) and "ep#2" (ranks 2-3).' in verdicts[0]["summary"]
    certain = {
        (verdict["kind"], verdict["group"])
        for verdict in verdicts[1:]
        if verdict["finding_confidence"] == "certain"
    }
    # Ranks 0 and 3 met each other, and had ended before the others called, if they got so far.
    came = {
        stream.rank
        for stream in read(tmp_path / "traces").streams
        if any(operation.op == "all_reduce" for operation in stream.operations)
    }
    for rank, group in ((1, "ep"), (2, "ep#2")):
        assert rank not in came or ("ended_unjoined", group) in certain
    # Nothing else is certain about ranks that may not be connected.
    assert {kind for kind, _ in certain} <= _ABOUT_GROUPS
    for row in tracectl("report", "--json", "--by", "group,rank", tmp_path / "traces").json()[
        "ops"
    ]:
        waited = row["wait_for_peers"]["total_ns"]
        assert waited <= row["completion"]["total_ns"], row
