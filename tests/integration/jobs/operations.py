"""Programs that observe their own operations."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import traced
import worker
from patience import until
from programs.training import model, train
from torch.nn.parallel import DistributedDataParallel
from traced import OperationEvent

from jobs.joining import join, joined, meet, until_let_go


def serve(address: str, number: int) -> None:
    """Runs programs as a worker, and writes each event to the file ``NUMBER.events``."""
    with open(f"{number}.events", "a", buffering=1) as file:

        def write(event: OperationEvent) -> None:
            line = [
                event.at,
                threading.current_thread().name,
                event.op,
                event.seq,
                event.group,
                event.group_ranks,
                event.rank,
                event.peer,
                event.root,
                event.is_async,
                event.bytes,
                event.input_shapes,
                [str(dtype) for dtype in event.input_dtypes],
                event.output_shapes,
                event.failed,
                [list(tensor.shape) for tensor in event.inputs or ()],
            ]
            file.write(json.dumps(line) + "\n")

        traced.on_operation(write, tensors=True)
        worker.serve(address, number)


def observed_training() -> dict[str, Any]:
    """Trains with DDP, whose ends only futures show."""
    events: list[tuple[str, int | None, str]] = []

    def note(event: OperationEvent) -> None:
        events.append((event.at, event.seq, threading.current_thread().name))

    with joined():
        with traced.on_operation(note, ops=["all_reduce"]) as hook:
            losses = train(DistributedDataParallel(model()), 4)
            until(lambda: Counter(at for at, *_ in events)["end"] == len(events) / 2)
        return {"losses": losses, "events": events, "dropped": hook.dropped}


def plain_training() -> list[torch.Tensor]:
    """Does the same without callbacks."""
    with joined("gloo"):
        return train(DistributedDataParallel(model()), 4)


def values_of_tensors() -> list[list[float]]:
    """Reads the tensors of events. Returns the inputs at issue, then the outputs at the end."""
    seen: list[list[float]] = []

    def note(event: OperationEvent) -> None:
        tensors = event.inputs if event.at == "issue" else event.outputs
        assert tensors is not None
        assert not any(tensor.requires_grad for tensor in tensors)
        seen.extend(tensor.tolist() for tensor in tensors)

    with joined() as rank, traced.on_operation(note, tensors=True):
        dist.all_reduce(torch.full((2,), float(rank)))
        dist.all_gather([torch.zeros(1) for _ in range(2)], torch.full((1,), float(rank)))
        work = dist.all_reduce(torch.full((1,), float(rank)), async_op=True)
        while not work.is_completed():
            pass
        seen.append([float(len(seen))])
        work.wait()
    return seen


def failing_callback(error: str) -> dict[str, Any]:
    """The callback raises for each event."""

    def fail(_: OperationEvent) -> None:
        raise {"ValueError": ValueError, "RuntimeError": RuntimeError}[error]("in a callback")

    with joined(), traced.on_operation(fail) as hook:
        tensors = [torch.ones(3) for _ in range(4)]
        for tensor in tensors:
            dist.all_reduce(tensor)
    return {"failed": hook.failed, "results": [tensor.tolist() for tensor in tensors]}


def communicating_callback() -> dict[str, Any]:
    """The callback issues an operation of its own, and waits for an earlier one."""
    called: list[tuple[str, int | None]] = []
    own: list[float] = []

    with joined() as rank:
        other = dist.new_group(group_desc="other")
        early = dist.all_reduce(torch.ones(1), group=other, async_op=True)

        def sum_up(event: OperationEvent) -> None:
            called.append((event.at, event.seq))
            tensor = torch.full((1,), float(rank + 1))
            dist.all_reduce(tensor, group=other)
            early.wait()
            own.append(tensor.item())

        with traced.on_operation(sum_up, groups=["default_pg"]):
            dist.all_reduce(torch.ones(2))
            dist.barrier()
    return {"called": called, "own": own}


def filtered() -> dict[str, list[Any]]:
    """Registers several callbacks with filters, and removes one."""
    seen: dict[str, list[Any]] = {}

    def observe(name: str, **filters: Any) -> traced.OperationHook:
        noted = seen.setdefault(name, [])
        return traced.on_operation(
            lambda event: noted.append((event.at, event.op, event.group, event.seq)), **filters
        )

    before = observe("before the group")
    with joined() as rank:
        half = dist.new_group(group_desc="half")
        observe("op", ops=["broadcast"])
        observe("group", groups=["half"])
        observe("every", groups="half", every=3)
        observe("none", ops=[])
        for _ in range(4):
            dist.all_reduce(torch.ones(1), group=half)
        before.remove()
        before.remove()
        dist.broadcast(torch.ones(1), 0)
        if rank == 0:
            dist.send(torch.ones(1), 1)
        else:
            dist.recv(torch.ones(1))  # from any source: it has no number
        traced.disable()
        dist.all_reduce(torch.ones(1), group=half)
        traced.enable()
    return seen


def not_recorded() -> int:
    """Registers where nothing is recorded. Returns the number of events."""
    seen: list[OperationEvent] = []
    with traced.on_operation(seen.append), joined():
        dist.all_reduce(torch.ones(1))
    return len(seen)


def failing_operation() -> list[tuple[str, bool | None]]:
    """Issues operations that fail: in the call, and in the wait."""
    seen: list[tuple[str, bool | None]] = []
    rank = join()
    with traced.on_operation(lambda event: seen.append((event.at, event.failed))):
        try:
            dist.all_gather([torch.ones(1)], torch.ones(2))
        except (RuntimeError, ValueError):
            seen.append(("raised", None))
        meet("failed")
        if rank == 0:
            from datetime import timedelta

            work = dist.all_reduce(torch.ones(1), async_op=True)
            try:
                work.wait(timedelta(milliseconds=10))
            except RuntimeError:
                seen.append(("timed out", None))
        else:
            until(Path("timed out").exists)
            work = dist.all_reduce(torch.ones(1), async_op=True)
        if rank == 0:
            Path("timed out").touch()
        work.wait()
        meet("over")
    return seen


def interrupted(at: str, exits: bool) -> list[str]:
    """The callback raises KeyboardInterrupt, as Ctrl-C does there, or SystemExit."""
    order: list[str] = []

    def interrupt(event: OperationEvent) -> None:
        order.append(event.at)
        if event.at == at:
            raise SystemExit(7) if exits else KeyboardInterrupt

    with joined():
        tensor = torch.ones(1)
        with traced.on_operation(interrupt):
            try:
                dist.all_reduce(tensor)
                order.append("no interrupt")
            except KeyboardInterrupt:
                order.append("interrupted")
            except SystemExit as exit_:
                order.append(f"exit {exit_.code}")
        until(lambda: tensor.item() == 2)
    return order


def forked() -> dict[str, int]:
    """A forked child inherits a callback, and makes a group of its own."""
    seen: list[int] = []
    traced.on_operation(lambda _: seen.append(os.getpid()))
    rank = os.environ["RANK"]
    child = os.fork()
    if child == 0:
        code = 99
        try:
            dist.init_process_group(
                "traced:gloo", init_method=f"file://{os.getcwd()}/{rank}", rank=0, world_size=1
            )
            dist.all_reduce(torch.ones(1))
            assert traced.location() is not None
            code = len(seen)
            with traced.on_operation(lambda _: seen.append(os.getpid())):
                dist.all_reduce(torch.ones(1))
            code += 10 * len(seen)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    with joined():
        dist.all_reduce(torch.ones(1))
    return {"child": os.waitstatus_to_exitcode(status), "parent": len(seen)}


def ends_with_a_full_queue() -> None:
    """Exits while the callback of the first queued end never returns."""
    entered = threading.Event()

    def never_return(event: OperationEvent) -> None:
        if event.at == "end":
            entered.set()
            threading.Event().wait()

    with joined():
        hook = traced.on_operation(never_return, tensors=True)
        tensors = [torch.ones(4) for _ in range(1100)]
        for tensor in tensors:
            dist.all_reduce(tensor, async_op=True).get_future().wait()
        entered.wait()
        # One is in the callback, 1024 are queued.
        until(lambda: hook.dropped == 75)
        hook.remove()


def ends_while_the_gil_is_held() -> list[str]:
    """Keeps the GIL until Gloo's thread has completed a future that shows an end."""
    seen: list[str] = []
    libc = ctypes.PyDLL(None)  # keeps the GIL during calls
    with joined() as rank:
        callback = traced.on_operation(lambda event: seen.append(event.at))
        tensor = torch.ones(1)
        future = dist.all_reduce(tensor, async_op=True).get_future()
        Path(f"issued-{rank}").touch()
        for other in range(2):
            while libc.access(f"issued-{other}".encode(), 0) != 0:
                libc.usleep(1000)
        # Another thread must not need the GIL to complete it.
        while not future.done():
            libc.usleep(1000)
        until(lambda: len(seen) == 2)
        callback.remove()
        del future
        until_let_go([tensor])
    return seen


def from_a_future() -> list[str]:
    """Issues an operation in a callback of a future, on the engine's thread."""
    seen: list[str] = []
    works: list[Any] = []
    done = threading.Event()
    with joined(), traced.on_operation(lambda event: seen.append(f"{event.at} {event.seq}")):

        def again(future: Any) -> Any:
            works.append(dist.all_reduce(torch.ones(1), async_op=True))
            done.set()
            return future.value()

        dist.all_reduce(torch.ones(1), async_op=True).get_future().then(again)
        assert done.wait(60)
        works[0].wait()
        until(lambda: len(seen) == 4)
    return sorted(seen)


def on_gpu() -> list[tuple[str, str, bool | None]]:
    """Observes operations of NCCL."""
    seen: list[tuple[str, str, bool | None]] = []
    torch.cuda.set_device(int(os.environ["RANK"]))
    with joined("traced:nccl") as rank:
        tensor = torch.full((8,), float(rank + 1), device="cuda")
        with traced.on_operation(
            lambda event: seen.append((event.at, str(event.device), event.failed))
        ):
            dist.all_reduce(tensor)
            dist.all_reduce(tensor, async_op=True).wait()
            dist.all_reduce(tensor, async_op=True).get_future().wait()
        torch.cuda.synchronize()
    return seen


def in_autograd() -> dict[str, Any]:
    """Trains with DDP on a device, where autograd's own thread issues the operations."""
    from jobs.on_gpus import backward

    seen: list[tuple[str, bool]] = []
    here = threading.get_ident()

    def note(event: OperationEvent) -> None:
        seen.append((event.at, threading.get_ident() == here))

    hook = traced.on_operation(note, tensors=True)
    backward("traced:nccl", passes=2, op_us=10)
    return {"elsewhere": [at for at, is_here in seen if not is_here], "failed": hook.failed}
