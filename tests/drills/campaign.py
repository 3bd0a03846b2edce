"""Runs many drills, one after the other, and tabulates the results."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from launcher import Launcher
from tracectl import tracectl

from drills.confusion import Confusion
from drills.evidence import is_honest, proves, subsets
from drills.judge import (
    Finding,
    blames_rightly,
    diagnose,
    is_placed,
    is_right,
    wrongly_certain,
)
from drills.plan import Plan
from drills.running import run
from drills.stock import analyze
from drills.truth import Truth


@dataclass
class Campaign:
    """Runs drills and judges them.

    Args:
        folder: Where they run. A drill that is judged wrong remains there.
        with_subsets: Whether to diagnose every subset of the files too.
        with_stock: Whether to run torchfrtrace too.
    """

    launcher: Launcher
    folder: Path
    with_subsets: bool = False
    with_stock: bool = False
    verdicts: Confusion = field(default_factory=lambda: Confusion("tracectl diagnose"))
    placed: Counter[bool] = field(default_factory=Counter)
    parts: Confusion = field(default_factory=lambda: Confusion("from some of the files"))
    as_dumped: Confusion = field(default_factory=lambda: Confusion("torchfrtrace, as dumped"))
    stock: Confusion = field(default_factory=lambda: Confusion("torchfrtrace, groups mended"))
    halves: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def drill(self, plan: Plan) -> list[str]:
        """Runs a drill. Returns the errors of its diagnosis, in sentences."""
        folder = self.folder / plan.name
        folder.mkdir(parents=True)
        begin = time.monotonic()
        truth = run(self.launcher, plan, folder)
        wrong = self._judge(plan, folder)
        if self.with_stock:
            self._ask_stock(truth, folder)
        seconds = time.monotonic() - begin
        print(f"{plan.name}: {'; '.join(wrong) or 'right'} ({seconds:.1f} s)", flush=True)
        if not wrong:
            shutil.rmtree(folder)
        self.wrong += [f"{plan.name}: {each}" for each in wrong]
        return wrong

    def _judge(self, plan: Plan, folder: Path) -> list[str]:
        truth, hung_after_s = plan.truth, plan.engine.report_delay_s
        finding = diagnose([folder / "traces"], hung_after_s)
        # The first diagnosis runs before recovery, which must not matter.
        assert tracectl("recover", "--ring-dir", folder).exit_code == 0
        recovered = diagnose([folder / "traces"], hung_after_s)
        right = is_right(truth, finding)
        lies = wrongly_certain(truth, finding)
        name = truth.fault or f"none ({truth.program})"
        self.verdicts.add(name, _labelled(truth, finding), right and not lies)
        self._count(truth, finding, lies)
        if lies:
            return lies
        if not right:
            found = f"{', '.join(finding.kinds) or finding.kind} of {list(finding.culprits)}"
            return [f"expected {'/'.join(truth.kinds)} of {list(truth.culprits)}, got {found}"]
        if _summary(recovered) != _summary(finding):
            return [f"before recovery {_summary(finding)}, recovered {_summary(recovered)}"]
        if truth.fault:
            self.placed[is_placed(truth, finding)] += 1
        return self._from_parts(plan, folder, finding) if self.with_subsets else []

    def _count(self, truth: Truth, finding: Finding, lies: list[str]) -> None:
        """Counts whether the finding and the culprit are right."""
        correct = {"finding": finding.kind in truth.kinds or not truth.fault}
        correct["culprit"] = blames_rightly(truth, finding)
        for (half, right), sure in zip(correct.items(), finding.sure, strict=True):
            self.halves[half, sure, right and not lies] += 1

    def _from_parts(self, plan: Plan, folder: Path, whole: Finding) -> list[str]:
        """Diagnoses every subset of the files, which are in the order of ranks."""
        truth = plan.truth
        files = sorted(folder.glob("traces/*/*.traced"))
        wrong = []
        for kept in subsets(truth.world) if truth.fault else ():
            finding = diagnose([files[rank] for rank in kept], plan.engine.report_delay_s)
            same = (finding.kind, finding.culprits) == (whole.kind, whole.culprits)
            if proves(truth, kept):
                right, label = same, "the same" if same else finding.kind
                right |= finding.kind == whole.kind and is_honest(truth, finding, kept)
            else:
                right, label = is_honest(truth, finding, kept), finding.kind
            self.parts.add(truth.fault, label, right)
            if not right:
                wrong.append(f"from {list(kept)}: {finding.kind} of {list(finding.culprits)}")
        return wrong

    def _ask_stock(self, truth: Truth, folder: Path) -> None:
        name = truth.fault or f"none ({truth.program})"
        # Dumps identify groups only by their descriptions, which repeat here.
        if truth.program == "grid":
            return
        for mended, table in ((False, self.as_dumped), (True, self.stock)):
            finding = analyze(str(folder), truth.world, mended)
            quiet = finding.kind == "nothing"
            table.add(
                name,
                finding.kind,
                finding.culprits == truth.culprits and quiet != bool(truth.fault),
            )

    def tables(self) -> list[Confusion]:
        """Returns the tables that have rows."""
        every = (self.verdicts, self.parts, self.as_dumped, self.stock)
        return [table for table in every if table.runs]


def _summary(finding: Finding) -> tuple[object, ...]:
    return finding.kinds, finding.culprits, finding.group, finding.seq


def _labelled(truth: Truth, finding: Finding) -> str:
    wrong_rank = finding.kind in truth.kinds and not is_right(truth, finding)
    return f"{finding.kind} of others" if wrong_rank else finding.kind
