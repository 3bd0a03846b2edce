"""Reads traces into pandas and ranks operations by the time that they took.

    python examples/notebook.py traces/ddp

The argument is a folder of traces. examples/ddp.py records this one.
"""

import sys

import traced

run = traced.load(sys.argv[1])
for warning in run.warnings:
    print(f"warning: {warning}", file=sys.stderr)

operations = run.operations
operations["total_ms"] = operations["completion_ns"] / 1e6
totals = operations.groupby("op").agg(
    calls=("op_id", "size"), bytes=("message_size", "sum"), total_ms=("total_ms", "sum")
)
print(totals.sort_values("total_ms", ascending=False).round(2))

print("\nCalls per rank:")
print(operations.groupby("rank").size().to_string())
