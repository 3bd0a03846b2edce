"""Compares the two runs of the demo. Reads `tracectl info --json` from standard input.

tracectl info --json TRACE | demo_summary.py TRACED.json UNTRACED.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> int:
    traced, untraced = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    info = json.load(sys.stdin)
    losses = traced["losses"]
    equal = all(traced[key] == untraced[key] for key in ("losses", "weights"))
    print(
        f"trained {len(losses)} steps on {len(info['ranks'])} ranks over traced:gloo "
        f"(real Gloo underneath), loss {losses[0]:.2f} -> {losses[-1]:.2f}, "
        f"{'bit-equal to' if equal else 'NOT EQUAL TO'} the same run on gloo"
    )
    own = info["own_time"]
    if "mean_ns" in own:
        print(
            f"recording took {own['mean_ns'] / 1e3:.2f} us per operation, "
            f"{own['share_of_run']:.3%} of the run, by {own['samples']} sampled operations "
            "(from the trace itself)"
        )
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
