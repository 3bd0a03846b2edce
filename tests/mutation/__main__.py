"""Plants small errors in the code, one at a time, and reports those that no test detects.

    PYTHONPATH=tests python -m mutation [--count 100] [--seed N] [--layers recorder,c10d]
        [--unit] [--fates FILE] [--again]

Needs no environment: it clones the committed state and sets that up. Prints the seed, a line per
mutant, and at the end the survivors. Judge these one by one: some are no fault. The seed orders
the sites independently of each other, so unchanged code keeps its sample.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import Counter
from pathlib import Path

from mutation.fates import Fate, Fates
from mutation.sites import Site, sites_of
from mutation.trial import Trial

_REPOSITORY = Path(__file__).resolve().parents[2]
_LAYERS = "recorder,ring_io,analysis,trace_io,c10d"
_UNIT_LAYERS = "recorder,ring_io,analysis,trace_io"


def _rank(*words: object) -> str:
    return hashlib.sha256(repr(tuple(map(str, words))).encode()).hexdigest()[:12]


def _ranked_sites(root: Path, layers: list[str], seed: int) -> list[tuple[str, Site]]:
    ranked = []
    for layer in layers:
        for file in sorted((root / "backend" / layer).rglob("*.cc")):
            lines = file.read_text().splitlines()
            for site in sites_of(file.relative_to(root), "\n".join(lines)):
                line = lines[site.line]
                nth = lines[: site.line].count(line)
                ranked.append((_rank(seed, site.path, line, nth, site.begin, site.instead), site))
    return sorted(ranked, key=lambda entry: entry[0])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutation")
    parser.add_argument("--count", type=int, default=100, help="mutants that can be built")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--layers", help=f"default: {_LAYERS}; --unit: {_UNIT_LAYERS}")
    parser.add_argument("--unit", action="store_true", help="only the layer's unit tests: quick")
    parser.add_argument("--fates", type=Path, help="goes on from this file, and adds to it")
    parser.add_argument("--again", action="store_true", help="try what survived there again")
    parser.add_argument("--folder", type=Path, default=_REPOSITORY / "build" / "mutation")
    return parser.parse_args()


def main() -> int:
    """Runs the trial; returns 0 if at least nine of ten mutants were killed."""
    asked = _arguments()
    print(f"mutation: seed {asked.seed}", flush=True)
    asked.folder.mkdir(parents=True, exist_ok=True)
    layers = asked.layers or (_UNIT_LAYERS if asked.unit else _LAYERS)
    fates = Fates(asked.fates)
    clone = asked.folder / "clone"
    trial = Trial(_REPOSITORY, clone, asked.folder / "log", unit_only=asked.unit)
    sites = _ranked_sites(clone, layers.split(","), asked.seed)
    counts: Counter[Fate] = Counter()
    survivors = []
    for rank, site in sites:
        if counts[Fate.KILLED] + counts[Fate.SURVIVED] == asked.count:
            break
        words = site.describe(trial.text(site.path))
        fate = fates.of(rank)
        if fate is None or (asked.again and fate is Fate.SURVIVED):
            fate = trial.run(site)
            fates.add(rank, fate, words)
        counts[fate] += 1
        if fate is Fate.SURVIVED:
            survivors.append(words)
    print(*survivors, sep="\n")
    tried = counts[Fate.KILLED] + counts[Fate.SURVIVED]
    print(f"mutation: {counts[Fate.KILLED]} of {tried} killed, of {len(sites)} places")
    return 0 if 10 * counts[Fate.KILLED] >= 9 * tried else 1


if __name__ == "__main__":
    sys.exit(main())
