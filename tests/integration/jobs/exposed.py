"""Training jobs whose ranks wait for each other, measured by the kernel's clocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
import traced
from patience import until
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from jobs.joining import joined

LATE_S = 0.3
STEPS = range(2, 6)  # measured steps: before them DDP still arranges its buckets


@dataclass
class Waited:
    """Holds how long a thread waited: asleep, or runnable without a processor.

    `metrics`: by how much each metric grew meanwhile.
    """

    least_s: float
    most_s: float
    metrics: dict[str, int | float] = field(default_factory=dict)


@dataclass
class Job:
    """Runs a rank's work, one step after the other."""

    rank: int
    step: int = 0

    def compute(self, seconds: float = LATE_S) -> None:
        """Keeps the thread busy."""
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass

    def compute_if_late(self) -> None:
        """Computes if it is this rank's turn to be late for the common call."""
        if self.step % 2 == self.rank:
            self.compute()


Train = Callable[[], object]


def _clocks() -> tuple[float, float, float]:
    """Returns the time, the thread's run time, and its time in the run queue."""
    ran, delayed, _ = map(int, Path("/proc/thread-self/schedstat").read_text().split())
    return time.monotonic(), ran / 1e9, delayed / 1e9


def _metrics_with(unseen: int) -> Any:
    """Returns metrics with all records so far and this many unrecorded waits, if they exist."""
    asked = time.monotonic()
    traced.flush()
    metrics = traced.metrics()
    is_later = metrics["traced_rank_metrics_age_seconds"] < time.monotonic() - asked
    return is_later and metrics["traced_rank_waits_unknown_total"] >= unseen and metrics


def _run(prepare: Callable[[Job], Train], unseen: int = 0, hold: bool = False) -> Waited:
    with joined() as rank:
        torch.manual_seed(3)
        job = Job(rank)
        train = prepare(job)
        for job.step in range(STEPS.stop):
            traced.step(job.step)
            if job.step == STEPS.start:
                before = until(lambda: _metrics_with(0))
                began = _clocks()
            train()
        traced.step(STEPS.stop)
        passed, ran, delayed = (end - begin for end, begin in zip(_clocks(), began, strict=True))
        now = until(lambda: _metrics_with(unseen))
        grew = {name: value - before.get(name, 0) for name, value in now.items()}
        if hold:
            Path(f"held.{rank}").touch()
            until(Path("released").exists)
        return Waited(passed - ran - delayed, passed - ran, grew)


def _layers() -> nn.Sequential:
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))


def _training(module: nn.Module, job: Job) -> Train:
    batch = torch.ones(4, 16)

    def train() -> None:
        job.compute_if_late()
        module(batch).square().mean().backward()

    return train


def _ddp(**options: Any) -> DistributedDataParallel:
    """Returns a module whose gradients fill two buckets."""
    return DistributedDataParallel(_layers(), bucket_cap_mb=0.001, **options)


def ddp(hold: bool = False) -> Waited:
    """Waits in torch's C++, for futures."""
    return _run(lambda job: _training(_ddp(), job), hold=hold)


def ddp_held() -> Waited:
    """Runs `ddp`; the ranks live until they are released."""
    return ddp(hold=True)


def ddp_static_graph() -> Waited:
    """Issues all buckets of the first pass from a callback after the pass."""
    return _run(lambda job: _training(_ddp(static_graph=True), job))


def ddp_bucket_views() -> Waited:
    """Lets gradients alias the buckets."""
    return _run(lambda job: _training(_ddp(gradient_as_bucket_view=True), job))


def ddp_hook() -> Waited:
    """Compresses gradients in a communication hook."""
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook

    def prepare(job: Job) -> Train:
        module = _ddp()
        module.register_comm_hook(None, fp16_compress_hook)
        return _training(module, job)

    return _run(prepare)


def ddp_accumulating() -> Waited:
    """Makes two passes per step; only the second one communicates."""

    def prepare(job: Job) -> Train:
        module = _ddp()
        train = _training(module, job)

        def twice() -> None:
            with module.no_sync():
                train()
            train()

        return twice

    return _run(prepare)


def ddp_several() -> Waited:
    """Makes two communicating passes per step."""

    def prepare(job: Job) -> Train:
        train = _training(_ddp(), job)
        return lambda: (train(), train())

    return _run(prepare)


def ddp_that_computes_meanwhile() -> Waited:
    """Runs DDP; its first bucket is in flight while the gradients of the second are computed."""

    def prepare(job: Job) -> Train:
        layers = _layers()
        module = DistributedDataParallel(layers, bucket_cap_mb=0.001)
        batch = torch.ones(4, 16)

        def while_under_way(_: torch.Tensor) -> None:
            job.compute(LATE_S / 2)

        def train() -> None:
            job.compute_if_late()
            module(batch).square().mean().backward()

        layers[0].weight.register_hook(while_under_way)
        return train

    return _run(prepare)


def future(hold: bool = False) -> Waited:
    """Waits for futures, in Python."""

    def prepare(job: Job) -> Train:
        dist.broadcast(torch.ones(9), 0)  # a wait that is recorded

        def train() -> None:
            job.compute_if_late()
            dist.all_reduce(torch.ones(9), async_op=True).get_future().wait()

        return train

    return _run(prepare, STEPS.stop, hold)


def future_held() -> Waited:
    """Runs `future`; the ranks live until they are released."""
    return future(hold=True)


def functional_collectives() -> Waited:
    """Waits at the use of a result."""

    def prepare(job: Job) -> Train:
        def train() -> None:
            job.compute_if_late()
            functional.all_reduce(torch.ones(9), "sum", dist.group.WORLD) + 1

        return train

    return _run(prepare)


def fsdp() -> Waited:
    """Trains with FSDP2."""
    from torch.distributed.fsdp import fully_shard

    def prepare(job: Job) -> Train:
        module = _layers()
        for layer in (module[0], module[2], module):
            fully_shard(layer)
        return _training(module, job)

    return _run(prepare)


def tensor_parallel() -> Waited:
    """Trains layers of DTensors."""
    from torch.distributed.tensor import parallel

    def prepare(job: Job) -> Train:
        mesh = dist.init_device_mesh("cpu", (2,))
        plan = {"0": parallel.ColwiseParallel(), "2": parallel.RowwiseParallel()}
        return _training(parallel.parallelize_module(_layers(), mesh, plan), job)

    return _run(prepare)


def pipeline() -> Waited:
    """Rank 1 waits for the forward of rank 0, which then waits for its gradient."""
    from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

    class Stage(nn.Linear):
        """Represents a pipeline stage, slow on rank 0."""

        job: Job

        def forward(self, input: torch.Tensor) -> torch.Tensor:
            output = super().forward(input)
            if self.job.rank == 0:
                self.job.compute()
            return output

    def prepare(job: Job) -> Train:
        def loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
            job.compute()
            return (output - target).square().mean()

        module = Stage(16, 16)
        module.job = job
        stage = PipelineStage(module, job.rank, 2, torch.device("cpu"))
        schedule = ScheduleGPipe(stage, n_microbatches=1, loss_fn=loss)

        def train() -> None:
            if job.rank == 0:
                schedule.step(torch.ones(4, 16))
            else:
                schedule.step(target=torch.zeros(4, 16))

        return train

    return _run(prepare)
