"""Runs PyTorch's own distributed test suite with one backend, and writes each test's outcome.

    driver.py BACKEND WORLD_SIZE RESULT.json [TEST ...]

The suite is in torch's wheel (torch.testing._internal.distributed.distributed_test). Its ranks are
forked from this process, which has already imported torch. With TORCH_SUITE_SPAWN=1 they start
anew, which GPU use requires. They see no GPU unless TORCH_SUITE_GPU=1, or TORCH_SUITE_SIMULATED=1
with simulated GPUs (tests/simulated_cuda), which survive a fork. A hanging test ends after 300 s
(DISTRIBUTED_TESTS_DEFAULT_TIMEOUT).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from outcomes import Outcomes, use_simulated_gpus

#: Over simulated GPUs these tests may read data too early under the classic NCCL engine, with
#: tracing or without. Their results are random and cannot be compared.
_UNSTEADY = (
    {"test_all_gather_v_cuda", "test_reduce_scatter_v_cuda", "test_send_recv_nccl_torch_profiler"}
    if os.environ.get("TORCH_DIST_USE_NCCL2") == "0"
    else set()
)


def suite_class(backend: str) -> type[unittest.TestCase]:
    """Returns the suite's tests as a class; WORLD_SIZE is in the environment."""
    import torch
    import torch.distributed as dist

    # The suite selects its tests by the stock name, at import.
    os.environ["BACKEND"] = backend.removeprefix("traced:")
    from torch.testing._internal.distributed import distributed_test

    # Fixed by default, so that two concurrent runs would share it.
    port = os.environ.get("TORCH_SUITE_PORT", distributed_test.MASTER_PORT)
    distributed_test.MASTER_PORT = int(port)
    # Equal to the stock name, and traced if the argument has the prefix.
    distributed_test.BACKEND = dist.Backend(backend)
    if os.environ.get("TORCH_SUITE_SIMULATED") == "1":
        use_simulated_gpus()

    class TestDistributed(  # type: ignore[misc]
        distributed_test.TestDistBackend, distributed_test.DistributedTest._DistTestBase
    ):
        def setUp(self) -> None:
            super().setUp()
            how = "spawn" if os.environ.get("TORCH_SUITE_SPAWN") == "1" else "fork"
            self._start_processes(torch.multiprocessing.get_context(how).Process)

    # A process that starts anew finds the class by this name.
    TestDistributed.__qualname__ = "TestDistributed"
    globals()["TestDistributed"] = TestDistributed
    return TestDistributed


def main() -> int:
    backend, world, result, *chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "TORCH_SUITE_BACKEND": backend,
            "WORLD_SIZE": world,
            "TEMP_DIR": folder,
            "INIT_METHOD": f"file://{folder}/store",
            "GLOO_SOCKET_IFNAME": "lo",
            "OMP_NUM_THREADS": "1",
        }
        if "1" not in (os.environ.get(f"TORCH_SUITE_{kind}") for kind in ("GPU", "SIMULATED")):
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        cases = suite_class(backend)
        # The set of tests differs between versions of torch.
        names = unittest.TestLoader().getTestCaseNames(cases)
        known = set(names) - (
            _UNSTEADY if os.environ.get("TORCH_SUITE_SIMULATED") == "1" else set()
        )
        names = [name for name in chosen or names if name in known]
        outcomes = Outcomes()
        unittest.TestSuite(cases(name) for name in names).run(outcomes)
    Path(result).write_text(json.dumps(outcomes.seen, indent=1, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
elif __name__ == "__mp_main__":  # a rank that starts anew
    suite_class(os.environ["TORCH_SUITE_BACKEND"])
