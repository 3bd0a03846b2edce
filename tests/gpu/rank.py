"""Runs one rank of scripts/gpu_check: makes the group, runs programs, writes their results.

rank.py BACKEND RESULT.json PROGRAM ...
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import device_programs
import fault_programs
import nccl_programs
import programs
import torch
import torch.distributed as dist
from where import DEVICE, GPU, synchronize


def main() -> None:
    backend, result, *names = sys.argv[1:]
    options: dict[str, Any] = {}
    if os.environ.get("GPU_CHECK_BIND"):
        options["device_id"] = DEVICE
    if os.environ.get("GPU_CHECK_TIMEOUT"):
        options["timeout"] = timedelta(seconds=int(os.environ["GPU_CHECK_TIMEOUT"]))
    if GPU:
        torch.cuda.set_device(DEVICE)
    dist.init_process_group(None if backend == "default" else backend, **options)
    modules = (programs, device_programs, fault_programs, nccl_programs)
    returned = {
        name: next(getattr(module, name) for module in modules if hasattr(module, name))()
        for name in names
    }
    synchronize()
    dist.destroy_process_group()
    Path(result).write_text(json.dumps(returned))


if __name__ == "__main__":
    main()
