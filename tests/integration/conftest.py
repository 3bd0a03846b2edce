"""Fixtures of the integration tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from launcher import Launcher, launcher
from simulated_gpu import gpu_launcher
from worker_pool import WorkerPool, worker_pool

# So that what these say of a failure has the values in it, as what tests say has.
pytest.register_assert_rewrite("differential")


def pytest_configure() -> None:
    """Has ranks end at signals, which a shell lets what runs in its background ignore."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="session", name="launcher")
def _launcher() -> Iterator[Launcher]:
    """Starts processes; all are killed at the end."""
    with launcher() as started:
        yield started


@pytest.fixture
def finalizing(launcher: Launcher) -> Iterator[None]:
    """For tests of how processes end: they end like any Python script."""
    with launcher.finalizing():
        yield


@pytest.fixture(scope="session")
def gpus() -> Iterator[Launcher]:
    """Starts processes that have simulated GPUs; skips the test where there are none."""
    with gpu_launcher() as started:
        yield started


@pytest.fixture(scope="session")
def pool(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerPool]:
    """Four long-lived ranks, for programs that leave their process as they found it."""
    folder: Path = tmp_path_factory.mktemp("pool")
    with worker_pool(launcher, folder) as started:
        yield started
