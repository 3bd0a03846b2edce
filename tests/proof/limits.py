"""From which change on one is found in 9 of 10 comparisons: python -m proof.limits --help.

Runs of programs whose transfers are longer by several parts are made in blocks, once. Comparisons
are of blocks that are drawn from them: they have runs in common, so 10 of them are less than 10.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace
from pathlib import Path

from proof.judging import ELSE, FOUND, judge
from proof.measuring import Bench, slowed_launcher
from proof.plants import BASE, PLANTS, slower_transfer

_DRAWS = 10
_RUNS_A_SIDE = (5, 9, 15)
_LONGER_PERCENT = (4, 6, 8, 12, 20, 40)


def measure(bench: Bench, blocks: int, first: bool) -> None:
    """Makes the runs that are missing."""
    arms = {"a": BASE} | {str(part): slower_transfer(part) for part in _LONGER_PERCENT}
    arms = {arm: replace(program, first=first) for arm, program in arms.items()}
    done = {path.name for path in bench.folder.glob("*-*[0-9]/")}
    for block in range(1, blocks + 1):
        if any(f"{arm}-{block:03}" not in done for arm in arms):
            bench.blocks(arms, [block])


def found(bench: Bench, part: int, runs: int, blocks: int, seed: int) -> tuple[int, int]:
    """Returns how many comparisons find the change, and how many report something else."""
    chosen = random.Random(f"{seed} {part} {runs}")
    # 5 pairs cannot reach p < alpha, 5 runs per side can.
    options = [] if runs < 7 else ["--paired"]
    outcomes = []
    for _ in range(_DRAWS):
        drawn = sorted(chosen.sample(range(1, blocks + 1), runs))
        judgement = judge(PLANTS["transfer"], bench.compare(str(part), drawn, *options))
        outcomes.append(judgement.outcome)
    return outcomes.count(FOUND), outcomes.count(ELSE)


def main() -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(prog="proof.limits", description=__doc__)
    parser.add_argument("--dir", type=Path, required=True, help="goes on where it was left")
    parser.add_argument("--blocks", type=int, default=30, help="of runs to draw from (30)")
    parser.add_argument("--first", action="store_true", help="ranks in the real-time class")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with slowed_launcher() as launcher:
        bench = Bench(launcher, options.dir)
        measure(bench, options.blocks, options.first)
    print(f"| transfer longer by | {' | '.join(f'{runs} runs' for runs in _RUNS_A_SIDE)} |")
    print("|---" * (1 + len(_RUNS_A_SIDE)) + "|")
    for part in _LONGER_PERCENT:
        counts = [found(bench, part, runs, options.blocks, options.seed) for runs in _RUNS_A_SIDE]
        cells = [f"{of}{f', {other} other' if other else ''}" for of, other in counts]
        print(f"| {part} % | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
