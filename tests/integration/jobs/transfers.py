"""Transfers of which one is corrupted below the tracer (tests/preload/corrupting_reads.cc).

Each rank knows what it must hold at the end, so it knows the truth without the tracer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from jobs.joining import joined

PATTERNS = ("one_bit", "several_bits", "periodic", "swapped", "stale", "garbage")
WORLD = 4
#: Elements of a part.
SIZE = 3000
ROOT = 1
#: The rank whose memory is corrupted. No root and no end of a message.
VICTIM = 2


def data(source: int, destination: int = 0) -> torch.Tensor:
    """Returns what a rank sends to another."""
    generator = torch.Generator().manual_seed(100 * source + destination)
    return torch.randn(SIZE, generator=generator)


class Case:
    """One rank's part in an operation.

    Attributes:
        run: Runs it in a group.
        parts: What the rank received afterwards, by the rank that sent it.
        expected: What it must be.
    """

    def __init__(
        self, run: Callable[[Any], object], parts: dict[int, torch.Tensor], to: int = 0
    ) -> None:
        self.run = run
        self.parts = parts
        self.expected = {source: data(source, to) for source in parts}

    def wrong(self) -> list[int]:
        """Returns the ranks whose data arrived changed."""
        return [s for s, part in self.parts.items() if not torch.equal(part, self.expected[s])]


def _broadcast(rank: int) -> Case:
    tensor = data(ROOT) if rank == ROOT else torch.zeros(SIZE)
    parts = {} if rank == ROOT else {ROOT: tensor}
    return Case(lambda group: dist.broadcast(tensor, ROOT, group=group), parts)


def _all_gather(rank: int) -> Case:
    outputs = [torch.zeros(SIZE) for _ in range(WORLD)]
    return Case(
        lambda group: dist.all_gather(outputs, data(rank), group=group), dict(enumerate(outputs))
    )


def _all_gather_into_tensor(rank: int) -> Case:
    output = torch.zeros(WORLD * SIZE)
    return Case(
        lambda group: dist.all_gather_into_tensor(output, data(rank), group=group),
        dict(enumerate(output.view(WORLD, SIZE))),
    )


def _gather(rank: int) -> Case:
    outputs = [torch.zeros(SIZE) for _ in range(WORLD)] if rank == VICTIM else None
    return Case(
        lambda group: dist.gather(data(rank), outputs, dst=VICTIM, group=group),
        dict(enumerate(outputs or [])),
    )


def _scatter(rank: int) -> Case:
    output = torch.zeros(SIZE)
    inputs = [data(ROOT, to) for to in range(WORLD)] if rank == ROOT else None
    return Case(
        lambda group: dist.scatter(output, inputs, src=ROOT, group=group), {ROOT: output}, rank
    )


def _all_to_all(rank: int) -> Case:
    outputs = [torch.zeros(SIZE) for _ in range(WORLD)]
    inputs = [data(rank, to) for to in range(WORLD)]
    return Case(
        lambda group: dist.all_to_all(outputs, inputs, group=group), dict(enumerate(outputs)), rank
    )


def _all_to_all_single(rank: int) -> Case:
    output = torch.zeros(WORLD, SIZE)
    inputs = torch.stack([data(rank, to) for to in range(WORLD)])
    return Case(
        lambda group: dist.all_to_all_single(output, inputs, group=group),
        dict(enumerate(output)),
        rank,
    )


def _all_to_all_single_uneven(rank: int) -> Case:
    """Rank r gets r + 1 rows from each rank."""
    sizes = [to + 1 for to in range(WORLD)]
    inputs = torch.cat([data(rank, to).repeat(size, 1) for to, size in enumerate(sizes)])
    output = torch.zeros(WORLD * sizes[rank], SIZE)
    case = Case(
        lambda group: dist.all_to_all_single(
            output, inputs, [sizes[rank]] * WORLD, sizes, group=group
        ),
        dict(enumerate(output.view(WORLD, sizes[rank], SIZE))),
        rank,
    )
    case.expected = {s: part.repeat(sizes[rank], 1) for s, part in case.expected.items()}
    return case


def _send(rank: int) -> Case:
    tensor = data(ROOT) if rank == ROOT else torch.zeros(SIZE)

    def run(group: Any) -> None:
        if rank == ROOT:
            dist.send(tensor, VICTIM, group=group)
        elif rank == VICTIM:
            dist.recv(tensor, ROOT, group=group)

    return Case(run, {ROOT: tensor} if rank == VICTIM else {})


CASES: dict[str, Callable[[int], Case]] = {
    "broadcast": _broadcast,
    "all_gather": _all_gather,
    "all_gather_into_tensor": _all_gather_into_tensor,
    "gather": _gather,
    "scatter": _scatter,
    "all_to_all": _all_to_all,
    "all_to_all_single": _all_to_all_single,
    "all_to_all_single_uneven": _all_to_all_single_uneven,
    "send": _send,
}


def numbers(rank: int) -> torch.Tensor:
    """Returns what a rank puts into a reduction: integers, whose sums are exact."""
    generator = torch.Generator().manual_seed(rank)
    return torch.randint(-(1 << 20), 1 << 20, (WORLD * SIZE,), generator=generator).int()


def _all_reduce(rank: int, group: Any) -> torch.Tensor | None:
    tensor = numbers(rank)
    dist.all_reduce(tensor, group=group)
    return tensor


def _reduce(rank: int, group: Any) -> torch.Tensor | None:
    tensor = numbers(rank)
    dist.reduce(tensor, VICTIM, group=group)
    return tensor if rank == VICTIM else None


def _reduce_scatter_tensor(rank: int, group: Any) -> torch.Tensor | None:
    output = torch.zeros(SIZE, dtype=torch.int32)
    dist.reduce_scatter_tensor(output, numbers(rank), group=group)
    return output


REDUCTIONS: dict[str, Callable[[int, Any], torch.Tensor | None]] = {
    "all_reduce": _all_reduce,
    "reduce": _reduce,
    "reduce_scatter_tensor": _reduce_scatter_tensor,
}


def corrupted_sums(name: str) -> dict[str, bool]:
    """Runs a reduction once per pattern, in a group of its own, and once without corruption.

    Returns:
        For each pattern, whether this rank got a wrong result.
    """
    library = ctypes.CDLL(None)
    library.corrupt_reads.argtypes = [ctypes.c_int, ctypes.c_size_t]
    total = torch.stack([numbers(rank) for rank in range(WORLD)]).sum(0).int()
    wrong = {}
    with joined() as rank:
        for number, pattern in enumerate(("none", *PATTERNS)):
            group = dist.new_group(group_desc=pattern)
            dist.barrier(group=group)
            if rank == VICTIM:
                library.corrupt_reads(number, 1024)
            result = REDUCTIONS[name](rank, group)
            library.corrupt_reads(0, 0)
            is_part = result is not None and result.numel() == SIZE
            expected = total[rank * SIZE : (rank + 1) * SIZE] if is_part else total
            wrong[pattern] = result is not None and not torch.equal(result, expected)
    return wrong


def corrupted(name: str) -> dict[str, list[int]]:
    """Runs the operation once per pattern, in a group of its own, and once without corruption.

    Returns:
        For each pattern, the ranks whose data this rank received changed.
    """
    library = ctypes.CDLL(None)
    library.corrupt_reads.argtypes = [ctypes.c_int, ctypes.c_size_t]
    wrong = {}
    with joined() as rank:
        for number, pattern in enumerate(("none", *PATTERNS)):
            group = dist.new_group(group_desc=pattern)
            case = CASES[name](rank)
            dist.barrier(group=group)
            if rank == VICTIM:
                library.corrupt_reads(number, 1024)
            case.run(group)
            library.corrupt_reads(0, 0)
            wrong[pattern] = case.wrong()
    return wrong
