"""Runs drills from the command line: python -m drills --help."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path

from launcher import launcher
from simulated_gpu import gpu_launcher

from drills.campaign import Campaign
from drills.engines import ENGINES, GLOO, Engine, nccl
from drills.faults import FAULTS, faults_of
from drills.plan import Plan, faulty, healthy
from drills.programs import HEALTHY


def _faulty(options: argparse.Namespace, engine: Engine) -> Iterator[Plan]:
    """Yields every fault, with every rank as the culprit or with one."""
    named = faults_of(engine) if options.faults is None else options.faults.split(",")
    for name, world in product(filter(None, named), _worlds(options)):
        if world >= FAULTS[name].from_world:
            plans = [faulty(name, world, rank, options.seed, engine) for rank in range(world)]
            found = list(filter(None, plans))
            chosen = random.Random(f"{options.seed} {name} {world} {engine.name}")
            yield from chosen.sample(found, min(len(found), 1)) if options.sample else found


def _healthy(options: argparse.Namespace, engine: Engine) -> Iterator[Plan]:
    chosen = random.Random(options.seed)
    programs = list(HEALTHY)
    for number in range(options.healthy):
        program = programs[number % len(programs)]
        starved = number // len(programs) % 4 == 3
        seed = options.seed * options.healthy + number
        yield healthy(program, chosen.choice(_worlds(options)), seed, starved, engine)


def _worlds(options: argparse.Namespace) -> list[int]:
    return [int(world) for world in options.worlds.split(",")]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="drills", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--worlds", default="2,4,8")
    parser.add_argument("--faults", help="NAME,NAME (all that the engine can have)")
    parser.add_argument("--sample", action="store_true", help="one culprit, not every rank")
    parser.add_argument("--backend", choices=["gloo", "nccl"], default="gloo")
    parser.add_argument("--engine", choices=ENGINES, default="newer", help="of NCCL")
    parser.add_argument("--device-time", choices=["off", "end", "full"], default="off")
    parser.add_argument("--healthy", type=int, default=100, help="runs without a fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", action="store_true", help="from every subset of the files")
    parser.add_argument("--stock", action="store_true", help="ask torchfrtrace as well")
    parser.add_argument("--keep", type=Path, help="where drills stay that are judged wrong")
    parser.add_argument("--markdown", type=Path, help="write the tables here, too")
    return parser.parse_args()


def main() -> int:
    """Runs all drills. Returns 1 if one was judged wrong."""
    options = _arguments()
    print(f"seed {options.seed}")
    is_nccl = options.backend == "nccl"
    engine = nccl(options.engine, options.device_time) if is_nccl else GLOO
    starting = gpu_launcher() if is_nccl else launcher()
    with tempfile.TemporaryDirectory() as temporary, starting as started:
        folder = options.keep or Path(temporary)
        campaign = Campaign(started, folder, options.parts, options.stock)
        for plan in chain(_faulty(options, engine), _healthy(options, engine)):
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
