#!/usr/bin/env bash
# Fails a change that makes a job communicate more. Here it makes the buckets of DDP smaller.
#
#     bash examples/ci_gate.sh
#
# In a real repository the budget is a file under version control: docs/use/ci.md.
set -euo pipefail
examples=$(dirname "$0")
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT

# train JOB [OPTION...]: records a short run in $traces/JOB.
train() {
  TRACED=1 TRACED_DIR=$traces TRACED_JOB=$1 torchrun --nproc-per-node 2 "$examples/ddp.py" "${@:2}"
}

# --- Once, on the main branch
train main
tracectl check --write-budget "$traces/budget.toml" "$traces/main"

# --- For each change
train same
tracectl check --budget "$traces/budget.toml" "$traces/same"
train change --bucket-cap-mb 0.1
if tracectl check --budget "$traces/budget.toml" "$traces/change"; then
  echo "ci_gate: the change was not detected" >&2
  exit 1
fi
echo "ci_gate: the change communicates more, so its job fails"
