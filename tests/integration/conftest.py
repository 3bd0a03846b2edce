"""Fixtures of the integration tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from built import built
from launcher import Launcher, launcher
from simulated_gpu import gpu_launcher
from worker_pool import WorkerPool, worker_pool

# Assertions in this helper then show their values, as assertions in tests do.
pytest.register_assert_rewrite("differential")


def pytest_configure() -> None:
    """Restores default signal actions for the ranks: a shell makes its background jobs ignore
    SIGINT.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="session", name="launcher")
def _launcher() -> Iterator[Launcher]:
    """Starts processes; kills all of them at the end."""
    with launcher() as started:
        yield started


@pytest.fixture
def finalizing(launcher: Launcher) -> Iterator[None]:
    """Starts processes that end like any Python script, for tests of process ends."""
    with launcher.finalizing():
        yield


@pytest.fixture(scope="session")
def gpus() -> Iterator[Launcher]:
    """Starts processes that have simulated GPUs; skips the test without a simulation."""
    with gpu_launcher() as started:
        yield started


@pytest.fixture(scope="session")
def nvtx() -> Iterator[Launcher]:
    """Starts processes with a fake NVTX library, which writes to $FAKE_NVTX_LOG.PID."""
    with launcher(preload=str(built("unit/recorder/libfake_nvtx.so"))) as started:
        yield started


@pytest.fixture(scope="session")
def pool(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerPool]:
    """Runs four long-lived ranks, for programs that leave their process unchanged."""
    folder: Path = tmp_path_factory.mktemp("pool")
    with worker_pool(launcher, folder) as started:
        yield started
