"""Healthy jobs in which ranks wait for each other: random ranks compute or pause."""

from __future__ import annotations

import os
import random
import time

import torch
import torch.distributed as dist

from jobs.joining import joined

_STEPS = 6
#: Pauses are shorter than what counts as a hang. A rank that computes may take longer.
_MAX_PAUSE, _MAX_COMPUTING = 0.5, 1.8


def _computes(cpu_s: float) -> None:
    enough = time.process_time() + cpu_s
    matrix = torch.ones(32, 32)
    while time.process_time() < enough:
        matrix @ matrix


def _delays(choose: random.Random, hung_after_s: float) -> None:
    if choose.random() < 0.5:
        time.sleep(choose.random() * _MAX_PAUSE * hung_after_s)
    else:
        _computes(choose.random() * _MAX_COMPUTING * hung_after_s)


def works(seed: int) -> None:
    """Makes the same calls on all ranks. A random rank is late to half of them."""
    choose, world = random.Random(seed), int(os.environ["WORLD_SIZE"])
    hung_after_s = float(os.environ["HUNG_AFTER"])
    with joined() as rank:
        for _ in range(_STEPS):
            late, is_late = choose.randrange(world), choose.random() < 0.5
            before = random.Random(choose.random())
            if is_late and rank == late:
                _delays(before, hung_after_s)
            _communicates(choose.randrange(3), rank, world)


def _communicates(which: int, rank: int, world: int) -> None:
    tensor = torch.ones(64)
    if which == 0:
        dist.all_reduce(tensor)
    elif which == 1:
        dist.barrier()
    elif rank == 0:
        for peer in range(1, world):
            dist.recv(tensor, peer)
    else:
        dist.send(tensor, 0)
