"""Runs a file of PyTorch's own tests that start their ranks themselves; writes each outcome.

    file_driver.py FILE RESULT.json [CLASS[.TEST] ...]

FILE is one such as test/distributed/test_c10d_nccl.py of a checkout of PyTorch, which torch's wheel
lacks. A file that starts its ranks anew, which takes seconds each, gets forks of this process,
which has already imported torch. A hanging test ends after 100 s
(DISTRIBUTED_TESTS_DEFAULT_TIMEOUT).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from outcomes import Outcomes, use_simulated_gpus


def _fork_ranks() -> None:
    import torch
    from torch.testing._internal.common_distributed import MultiProcessTestCase

    def fork(case: MultiProcessTestCase) -> None:
        case._start_processes(torch.multiprocessing.get_context("fork").Process)

    MultiProcessTestCase._spawn_processes = fork  # type: ignore[method-assign]


def _tests(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from _tests(item)
        else:
            yield item


def _is_chosen(test: unittest.TestCase, chosen: list[str]) -> bool:
    kind, name = test.id().split(".")[-2:]
    return not chosen or kind in chosen or f"{kind}.{name}" in chosen


def main() -> int:
    file, result, *chosen = sys.argv[1:]
    sys.argv[1:] = []  # torch's tests have options of their own
    os.environ |= {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    os.environ.setdefault("DISTRIBUTED_TESTS_DEFAULT_TIMEOUT", "100")
    if os.environ.get("TORCH_SUITE_SIMULATED") == "1":
        use_simulated_gpus()
    _fork_ranks()
    # It imports modules of its folder.
    sys.path.insert(0, str(Path(file).parent))
    module = importlib.import_module(Path(file).stem)
    outcomes = Outcomes()
    found = _tests(unittest.defaultTestLoader.loadTestsFromModule(module))
    for test in (test for test in found if _is_chosen(test, chosen)):
        test.run(outcomes)
        Path(result).write_text(json.dumps(outcomes.seen, indent=1, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
