"""Makes the code wrong in small ways, one at a time, and tells which the tests do not see.

    PYTHONPATH=tests python -m mutation [--count 100] [--seed N] [--skip N] [--layers recorder,c10d]

Needs no environment: it makes a clone of what is committed and sets that up. Prints the seed, a
line per mutant, and at the end those that survived, to be judged one by one: some are no fault.
A seed gives each place a rank of its own: what is tried stays the same where the code does.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import Counter
from pathlib import Path

from mutation.sites import Site, sites_of
from mutation.trial import Fate, Trial

_REPOSITORY = Path(__file__).resolve().parents[2]
_LAYERS = "recorder,analysis,trace_io,c10d"


def _rank(*words: object) -> bytes:
    return hashlib.sha256(repr(tuple(map(str, words))).encode()).digest()


def _sites(layers: list[str], seed: int) -> list[Site]:
    ranked = []
    for layer in layers:
        for file in sorted((_REPOSITORY / "backend" / layer).rglob("*.cc")):
            lines = file.read_text().splitlines()
            for site in sites_of(file.relative_to(_REPOSITORY), "\n".join(lines)):
                line = lines[site.line]
                nth = lines[: site.line].count(line)
                ranked.append((_rank(seed, site.path, line, nth, site.begin, site.instead), site))
    return [site for _, site in sorted(ranked, key=lambda entry: entry[0])]


def main() -> int:
    """Returns 0 if at least nine of ten were killed."""
    parser = argparse.ArgumentParser(prog="mutation")
    parser.add_argument("--count", type=int, default=100, help="mutants that can be built")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--skip", type=int, default=0, help="places that were tried before")
    parser.add_argument("--layers", default=_LAYERS)
    parser.add_argument("--folder", type=Path, default=_REPOSITORY / "build" / "mutation")
    asked = parser.parse_args()
    print(f"mutation: seed {asked.seed}", flush=True)
    asked.folder.mkdir(parents=True, exist_ok=True)
    sites = _sites(asked.layers.split(","), asked.seed)
    trial = Trial(_REPOSITORY, asked.folder / "clone", asked.folder / "log")
    fates: Counter[Fate] = Counter()
    survivors = []
    for site in sites[asked.skip :]:
        if fates[Fate.KILLED] + fates[Fate.SURVIVED] == asked.count:
            break
        words = site.describe(trial.text(site.path))
        fate = trial.run(site)
        fates[fate] += 1
        print(f"{fate.value:9}  {words}", flush=True)
        if fate is Fate.SURVIVED:
            survivors.append(words)
    print(*survivors, sep="\n")
    tried = fates[Fate.KILLED] + fates[Fate.SURVIVED]
    print(f"mutation: {fates[Fate.KILLED]} of {tried} killed, of {len(sites)} places")
    return 0 if 10 * fates[Fate.KILLED] >= 9 * tried else 1


if __name__ == "__main__":
    sys.exit(main())
