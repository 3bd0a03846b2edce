"""Jobs that change settings."""

from __future__ import annotations

import itertools
import os
from typing import Any

import torch
import torch.distributed as dist
import traced
from torch.distributed.distributed_c10d import _get_default_group

from jobs.joining import joined


def some_stock_calls() -> Any:
    """Makes the same calls on a group that only the environment has traced."""
    return some_calls("gloo")


def some_calls(backend: str = "traced:gloo") -> Any:
    """Returns the results, the group's appearance and the trace's location."""
    with joined(backend) as rank:
        tensor = torch.arange(5.0) + rank
        dist.all_reduce(tensor)
        group = _get_default_group()
        types = type(group).__name__, type(group._get_backend(torch.device("cpu"))).__name__
    return tensor.tolist(), types, traced.location()


def configured(folder: str) -> None:
    """Settings from Python override the environment."""
    traced.configure(dir=folder, job="from-python", labels={"site": "fi", "gpu": 3})
    some_calls()


def wrong_configuration() -> list[list[str]]:
    """Returns the errors; the settings stay unchanged."""
    errors = []
    for settings in (
        {"ring_mb": 0},
        {"no_such_thing": 1},
        {"job": "a/b"},
        {"labels": "novalue"},
        {"labels": {"a": "1,b=2"}},
        {"dir": b"bytes"},
        {"dir": "\udcff"},
        {"max_bytes": 1.5},
        {"dir": "/proc/version/traces"},
    ):
        try:
            traced.configure(**settings)
        except ValueError as error:
            errors.append([next(iter(settings)), str(error)])
    some_calls()
    return errors


def many_records() -> int:
    """Records until parts of the trace were removed; bytes per operation depend on the machine.

    Returns the largest size of the trace on disk, in bytes.
    """
    with joined():
        tensor, most = torch.ones(1), 0
        for i in itertools.count():
            if i >= 100 and any(".part-2." in name for name in _files()):
                return most
            assert i < 500
            for _ in range(1500):
                dist.all_reduce(tensor)
            assert traced.flush(20)
            most = max(most, _bytes_on_disk())
            if i % 10 == 0:
                # Definitions that do not repeat.
                for size in range(400):
                    dist.all_reduce(torch.ones(i + 1, size + 1))
    raise AssertionError


def _bytes_on_disk() -> int:
    return sum(map(os.path.getsize, _files()))


def _files() -> list[str]:
    """Returns the parts of this process's trace."""
    location = traced.location()
    assert location is not None
    stem = location.split(".traced")[0].split(".part-")[0]
    folder = os.path.dirname(stem)
    names = [name for name in os.listdir(folder) if name.startswith(os.path.basename(stem))]
    return [os.path.join(folder, name) for name in names]
