"""Drills from the command line: python -m drills --help."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from launcher import launcher

from drills.campaign import Campaign
from drills.faults import FAULTS
from drills.plan import Plan, faulty, healthy
from drills.programs import HEALTHY


def _plans(worlds: list[int], faults: list[str], healthy_runs: int, seed: int) -> Iterator[Plan]:
    """Every fault with every rank as the culprit, and then jobs without one."""
    for name in faults:
        for world in worlds:
            if world >= FAULTS[name].from_world:
                yield from (faulty(name, world, rank, seed) for rank in range(world))
    chosen = random.Random(seed)
    programs = list(HEALTHY)
    for number in range(healthy_runs):
        program = programs[number % len(programs)]
        starved = number // len(programs) % 4 == 3
        yield healthy(program, chosen.choice(worlds), seed * healthy_runs + number, starved)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="drills", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--worlds", default="2,4,8")
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--healthy", type=int, default=100, help="runs without a fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", action="store_true", help="from every subset of the files")
    parser.add_argument("--stock", action="store_true", help="ask torchfrtrace as well")
    parser.add_argument("--keep", type=Path, help="where drills stay that are judged wrong")
    parser.add_argument("--markdown", type=Path, help="write the tables here, too")
    return parser.parse_args()


def main() -> int:
    """Runs them all. The exit code is 1 if one was judged wrong."""
    options = _arguments()
    print(f"seed {options.seed}")
    worlds = [int(world) for world in options.worlds.split(",")]
    faults = [name for name in options.faults.split(",") if name]
    with tempfile.TemporaryDirectory() as temporary, launcher() as started:
        folder = options.keep or Path(temporary)
        campaign = Campaign(started, folder, options.parts, options.stock)
        for plan in _plans(worlds, faults, options.healthy, options.seed):
            campaign.drill(plan)
    tables = campaign.tables()
    print("\n\n".join(["", *(table.text() for table in tables)]))
    if options.markdown:
        text = "\n\n".join(f"{table.title}:\n\n{table.markdown()}" for table in tables)
        options.markdown.write_text(text + "\n")
    print("\n".join(["", *campaign.wrong]))
    for (half, sure, right), runs in sorted(campaign.halves.items()):
        print(f"{half} {sure}: {'right' if right else 'WRONG'} {runs}")
    verdicts, parts = campaign.verdicts, campaign.parts
    print(
        f"{verdicts.right} of {verdicts.runs} drills judged rightly, "
        f"{campaign.placed[True]} of {campaign.placed.total()} at the very operation; "
        f"{parts.right} of {parts.runs} subsets of files"
    )
    return 1 if campaign.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
