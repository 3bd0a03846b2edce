"""Runs a part of PyTorch's own distributed_test, stock and under TRACED=1, and compares each test.

World size is 1: the suite needs a GPU for each rank.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from launch import free_port, within
from where import ENGINE, GPU, SIMULATED

_SUITE = Path(__file__).parent.parent / "torch_suite"
#: Each test starts a new process, which imports torch and its dependencies: ten seconds of one
#: core.
_TIMEOUT_S = 240.0
_ON_GPU = [
    "test_all_gather_cuda",
    "test_all_gather_into_cat_tensor_cuda",
    "test_all_reduce_sum_cuda",
    "test_all_reduce_sum_cuda_async",
    "test_all_to_all_single_equal_split_cuda",
    "test_barrier_cuda",
    "test_broadcast_cuda",
    "test_ddp_comm_hook_logging",
    "test_ddp_logging_data_gpu",
    "test_DistributedDataParallel",
    "test_nccl_high_priority_stream",
    "test_reduce_sum_cuda",
]
_ON_CPU = ["test_all_reduce_sum", "test_ddp_logging_data_cpu"]


def torch_suite_goes_as_stock(folder: Path) -> str:
    folder.mkdir(parents=True)
    arms = {name: _start(name, traced, folder) for name, traced in _ARMS.items()}
    try:
        for name, process in arms.items():
            if process.wait(within(_TIMEOUT_S)) != 0:
                return f"{name}: {(folder / f'{name}.log').read_text(errors='replace')[-2000:]}"
    except subprocess.TimeoutExpired as late:
        return f"no end after {late.timeout:.0f} s"
    finally:
        for process in arms.values():
            process.kill()
            process.wait()
    return _compare(folder)


_ARMS = {"stock": "0", "switched": "1"}


def _start(name: str, traced: str, folder: Path) -> subprocess.Popen[bytes]:
    env = os.environ | {
        "TRACED": traced, "TRACED_DIR": str(folder / f"{name}-traces"),
        "TORCH_SUITE_SPAWN": str(int(not SIMULATED)), "TORCH_SUITE_GPU": str(int(GPU)),
        "TORCH_SUITE_SIMULATED": str(int(SIMULATED)), "TORCH_SUITE_PORT": str(free_port()),
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, _SUITE / "driver.py", ENGINE, "1",
         folder / f"{name}.json", *(_ON_GPU if GPU else _ON_CPU)],
        env=env, stdout=(folder / f"{name}.log").open("wb"), stderr=subprocess.STDOUT,
    )  # fmt: skip


def _compare(folder: Path) -> str:
    sys.path.append(str(_SUITE))
    import compare

    stock, switched = (json.loads((folder / f"{name}.json").read_text()) for name in _ARMS)
    if not any(outcome == "passed" for outcome in stock.values()):
        return f"nothing passed stock, so this proves nothing: {stock}"
    if not compare.recorded(folder / "switched-traces"):
        return "nothing was recorded"
    print(f"     torch's suite: {compare.summary(switched)}", flush=True)
    return "; ".join(compare.differences(stock, switched))
