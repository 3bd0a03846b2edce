"""Comparisons from the command line: python -m proof --help."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from proof.campaign import Campaign
from proof.measuring import slowed_launcher
from proof.plants import PLANTS


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="proof", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--plant", help=f"NAME,NAME of {', '.join(PLANTS)} (all)")
    parser.add_argument("--times", type=int, default=20, help="rounds of comparisons (20)")
    parser.add_argument("--blocks", type=int, default=9, help="runs a side (9)")
    parser.add_argument("--first", action="store_true", help="ranks in the real-time class")
    parser.add_argument("--dir", type=Path, required=True, help="goes on where it was left")
    return parser.parse_args()


def main() -> int:
    """Runs comparisons. The exit code is 1 if a change was reported as something else."""
    options = _arguments()
    plants = options.plant.split(",") if options.plant else list(PLANTS)
    options.dir.mkdir(parents=True, exist_ok=True)
    with slowed_launcher() as launcher:
        campaign = Campaign(launcher, options.dir, plants, options.blocks, options.first)
        for number in range(1, options.times + 1):
            campaign.round(number)
    print(campaign.table())
    return 1 if campaign.misled else 0


if __name__ == "__main__":
    sys.exit(main())
