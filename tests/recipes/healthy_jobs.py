"""Runs healthy jobs under watch.sh of docs/start/recipes/torchrun.md, and counts those it ends.

Also counts those whose threads were sampled although no pause was long enough, and those with a
cause of lateness.

usage: healthy_jobs.py [COUNT [FIRST_SEED]]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from launcher import Launcher, launcher
from patience import patient
from recipe import Recipe
from tracectl import tracectl
from traced.reader import chunks, payload, rows

#: Seconds, far fewer than the page recommends.
_HUNG_AFTER = os.environ.get("HUNG_AFTER", "1.5")
_WORLDS = (2, 3, 4)
_SCRIPTS = Recipe("start/recipes/torchrun.md")


def run(started: Launcher, folder: Path, program: str, world: int, *args: object) -> str:
    """Runs one job. Returns what watch.sh printed, or how ranks failed; "" is right."""
    _SCRIPTS.write_scripts(folder)
    own = {"HUNG_AFTER": _HUNG_AFTER, "TRACED_RING_DIR": str(folder), "TEST_CULPRIT": "1"}
    watched = {"TRACED_DIR": str(folder / "traces"), "TRACED_JOB": "job"}
    # `cat` stands for the job: it ends with its input.
    with subprocess.Popen(
        ["sh", "watch.sh", "cat"],
        cwd=folder,
        env=os.environ | own | watched,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watcher:
        ranks = started.start_ranks(world, program, *args, folder=folder, **own)
        codes = [rank.wait(patient(120)) for rank in ranks]
        _, errors = watcher.communicate(timeout=patient(60))
    return errors + (f"exit codes {codes}" if any(codes) else "")


def _unasked(folder: Path) -> str:
    """Returns what the tracer found although nothing asked for it."""
    samples = sum(
        len(rows.decode(payload.decode(chunk.message)).thread_samples)
        for file in folder.rglob("*.traced")
        for chunk in chunks.scan(str(file), file.read_bytes()).chunks
    )
    verdicts = json.loads(tracectl("diagnose", folder / "traces", "--json").output)["verdicts"]
    causes = [cause["cause"] for verdict in verdicts for cause in verdict.get("causes", [])]
    return (f"{samples} samples of threads " if samples else "") + ", ".join(causes)


def _in_a_folder(started: Launcher, program: str, world: int, *args: object) -> str:
    with tempfile.TemporaryDirectory() as folder:
        ended = run(started, Path(folder), program, world, *args)
        return ended or (_unasked(Path(folder)) if program.startswith("jobs.healthy") else "")


def main() -> int:
    """Returns 1 if a job was ended or had a finding."""
    count, first = map(int, [*sys.argv[1:], *["100", "0"][len(sys.argv) - 1 :]])
    ended = 0
    with launcher() as started:
        control = _in_a_folder(started, "jobs.followed:one_sleeps", 2)
        assert "watch.sh: ends ranks=1 " in control, f"a hanging job was not ended: {control}"
        for seed in range(first, first + count):
            world = _WORLDS[seed % len(_WORLDS)]
            if wrong := _in_a_folder(started, "jobs.healthy:works", world, seed):
                ended += 1
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"\n{ended} of {count} healthy jobs ended or had findings (HUNG_AFTER={_HUNG_AFTER})")
    return 1 if ended else 0


if __name__ == "__main__":
    sys.exit(main())
