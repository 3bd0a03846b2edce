"""Runs comparisons of all plants, many times, and records the findings."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from launcher import Launcher

from proof.judging import BESIDES, ELSE, OUTCOMES, judge
from proof.measuring import Bench
from proof.plants import BASE, PLANTS


@dataclass(frozen=True)
class Campaign:
    """Runs rounds of blocks, each with a run of every plant and two more of the unchanged program.

    The plants of a round share these two runs; rounds share nothing. Judged comparisons have a line
    in results.jsonl and are not repeated. A round's folder stays if a change was reported as
    something else.

    Args:
        first: Whether the ranks have priority over everything else on the cores.
    """

    launcher: Launcher
    folder: Path
    plants: Sequence[str]
    blocks: int
    first: bool

    @property
    def results(self) -> list[dict[str, Any]]:
        """Returns the judgements."""
        path = self.folder / "results.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def round(self, number: int) -> None:
        """Runs a round, unless it is complete."""
        done = {result["plant"] for result in self.results if result["round"] == number}
        todo = [name for name in self.plants if name not in done]
        if not todo:
            return
        folder = self.folder / "round"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        bench = Bench(self.launcher, folder)
        programs = {"a": BASE, "s": BASE} | {name: PLANTS[name].program for name in todo}
        arms = {arm: replace(program, first=self.first) for arm, program in programs.items()}
        begin, load = time.monotonic(), os.getloadavg()[0]
        bench.blocks(arms, range(1, self.blocks + 1))
        seconds = time.monotonic() - begin
        for name in todo:
            self._judge(bench, name, {"round": number, "load": load, "seconds": seconds})
        if any(result["round"] == number for result in self.misled):
            folder.rename(self.folder / f"round-{number}")
        else:
            shutil.rmtree(folder)

    def _judge(self, bench: Bench, name: str, facts: dict[str, Any]) -> None:
        blocks = range(1, self.blocks + 1)
        answer = bench.compare(name, blocks, "--paired", "--same", *bench.side("s", blocks))
        judgement = judge(PLANTS[name], answer)
        result = {"plant": name, "outcome": judgement.outcome, "reasons": judgement.reasons} | facts
        print(
            f"{facts['round']} {name}: {judgement.outcome} {' | '.join(judgement.reasons)}",
            flush=True,
        )
        with (self.folder / "results.jsonl").open("a") as file:
            print(json.dumps(result), file=file)

    def table(self) -> str:
        """Returns a row for each plant, as Markdown."""
        results = self.results
        lines = [
            f"| planted | rounds | {' | '.join(OUTCOMES)} |",
            "|---" * (2 + len(OUTCOMES)) + "|",
        ]
        for name in self.plants:
            counts = Counter(each["outcome"] for each in results if each["plant"] == name)
            row = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
            lines.append(f"| {name} | {counts.total()} | {row} |")
        loads = [result["load"] for result in results]
        lines += ["", f"load {min(loads):.0f} to {max(loads):.0f}"] if loads else []
        return "\n".join(lines)

    @property
    def misled(self) -> list[dict[str, Any]]:
        """Returns wrong reports, including additional ones."""
        return [each for each in self.results if each["outcome"] in (BESIDES, ELSE)]
