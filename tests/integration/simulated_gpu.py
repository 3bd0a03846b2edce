"""Ranks over a simulated GPU: torch's own NCCL engines, without a GPU (tests/simulated_cuda)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher, launcher
from programs.catalog import TORCH

_LIBRARIES = ("libcudart.so.*", "libcuda.so.1", "libnccl.so.2", "libnvidia-ml.so.1")
_BUILT = (
    Path(__file__).parents[2]
    / f"build/torch-{version('torch').partition('+')[0]}/tests/simulated_cuda"
)

#: Settings of TRACED_DEVICE_TIME.
DEVICE_TIMES = ("off", "end", "full")


def cases(names: str, *axes: Iterable[object], short: Collection[tuple[object, ...]]) -> Any:
    """Parametrizes a test by every combination; all but the `short` ones are marked long."""
    return pytest.mark.parametrize(
        names.split(),
        [
            pytest.param(*case, marks=[] if case in short else [pytest.mark.long])
            for case in product(*axes)
        ],
    )


#: Marks tests that are too slow to run each time with older torch as well.
LONG_WITH_OLDER_TORCH = [] if TORCH >= (2, 15) else [pytest.mark.long]


def libraries() -> list[Path]:
    """Returns the simulation's libraries in load order; skips the test without them."""
    found = [path for name in _LIBRARIES for path in sorted(_BUILT.glob(name))]
    if len(found) != len(_LIBRARIES):
        pytest.skip(f"there is no simulated CUDA in {_BUILT}: not built, or torch is for CPUs")
    return found


@contextmanager
def gpu_launcher() -> Iterator[Launcher]:
    """Starts processes that have simulated GPUs."""
    with launcher(preload=":".join(map(str, libraries()))) as started:
        yield started


class Refusals:
    """Holds the calls of some ranks that CUDA and NCCL refused; a correct program has none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "refusals"
        self.env = {"SIMULATED_CUDA_REFUSALS": str(self._path)}

    def lines(self) -> list[str]:
        """Returns the refusals since the last call."""
        if not self._path.exists():
            return []
        text = self._path.read_text()
        self._path.unlink()
        return text.splitlines()

    def assert_none(self) -> None:
        """Fails if CUDA or NCCL refused a call since the last check."""
        if lines := self.lines():
            pytest.fail("\n".join(lines))
