"""watch.sh of docs/start/recipes/torchrun.md: it ends ranks that hang, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from patience import patient
from recipe import Recipe, assert_equal_results, assert_whole, reported
from tracectl import tracectl

Process = subprocess.Popen[bytes]

_PLAIN = Recipe(
    "start/recipes/torchrun.md",
    env={
        "HUNG_AFTER": "2",
        "TRACED_KEEPER": "1",
        # A start may find addresses of dead processes otherwise (pytorch/pytorch#135712).
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    },
    changes={"/local/traces": "traces"},
)
_FIRST_START = '(rank, step, os.environ["TORCHELASTIC_RESTART_COUNT"]) == (1, 3, "0")'


def _with(before_step: str) -> Recipe:
    """Returns the recipe with a program whose rank 1 does something before the fourth step."""
    line = "    optimizer.zero_grad()"
    added = f"    if {_FIRST_START}:\n        {before_step}\n"
    return replace(_PLAIN, changes={**_PLAIN.changes, line: added + line})


def test_a_job_that_hangs_is_restarted_and_completes(tmp_path: Path) -> None:
    hanging, untraced = tmp_path / "hanging", tmp_path / "untraced"
    output = _with("import time; time.sleep(3600)").run(hanging, "--max-restarts", traced=True)
    assert output.count("watch.sh: ends ") == 1, output
    assert "watch.sh: ends ranks=1 " in output
    assert "rule=absent_rank" in output
    _PLAIN.run(untraced, "--max-restarts", traced=False)
    assert_equal_results(hanging, untraced)
    traces = hanging / "traces/run42"
    runs = json.loads(tracectl("ls", "--json", traces).output)["runs"]
    assert [(run["attempt"], run["ended"]) for run in runs[:1]] == [(1, "ended in order")]
    assert len(runs) == 2
    assert reported(traces) == _PLAIN.operations()


def test_a_rank_that_computes_is_not_ended(tmp_path: Path) -> None:
    longer_than_hung_after = (
        "import time\n        enough = time.process_time() + 5\n"
        "        while time.process_time() < enough: pass"
    )
    output = _with(longer_than_hung_after).run(tmp_path, "--max-restarts", traced=True)
    assert "watch.sh: ends" not in output, output
    traces = tmp_path / "traces/run42"
    assert len(json.loads(tracectl("ls", "--json", traces).output)["runs"]) == 1
    assert_whole(traces)


@contextmanager
def _running(*command: str | Path, env: dict[str, str] | None = None) -> Iterator[Process]:
    """Runs a command that ends with its standard input."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=env) as process:
        try:
            yield process
        finally:
            process.kill()


def test_only_a_certain_restart_ends_processes(tmp_path: Path) -> None:
    _PLAIN.write_scripts(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/rank-0.traced").touch()
    with ExitStack() as ends:
        fixed, likely, first, second = (ends.enter_context(_running("cat")) for _ in range(4))
        # It answers once.
        (tmp_path / "tracectl").write_text(
            f"""#!/bin/sh
            [ -e {tmp_path}/answered ] && exit
            touch {tmp_path}/answered
            echo fix_program certain ranks=0 hosts=a pids={fixed.pid} rule=calls_differ
            echo restart likely ranks=1 hosts=a pids={likely.pid} rule=absent_rank
            echo none certain ranks= hosts= pids= rule=slow_rank
            echo restart certain ranks=2 hosts=b pids= rule=absent_rank
            echo restart certain ranks=3,4 hosts=a pids={first.pid},{second.pid} rule=absent_rank
            """
        )
        (tmp_path / "tracectl").chmod(0o755)
        env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        env |= {"TRACED_DIR": str(tmp_path), "TRACED_JOB": "run"}
        with _running("sh", tmp_path / "watch.sh", "cat", env=env) as command:
            for ended in (first, second):
                assert ended.wait(patient(60)) == -signal.SIGKILL
            command.communicate(timeout=patient(60))
            assert command.returncode == 0
        assert [fixed.poll(), likely.poll()] == [None, None]
