"""Jobs that traced and PyTorch's own Flight Recorder record at the same time."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from jobs.joining import joined

_C = torch._C._distributed_c10d


def dump(rank: int, **options: str) -> None:
    """Writes what the recorder of Gloo holds, in both forms."""
    write(rank, _C._dump_fr_trace(True, True, False, **options), "pickle")
    write(rank, _C._dump_fr_trace_json(True, False, **options), "json")


def dump_of_nccl(rank: int) -> None:
    """Writes what the recorder of NCCL holds, in both forms."""
    write(rank, _C._dump_nccl_trace(True, True, False), "pickle")
    write(rank, _C._dump_nccl_trace_json(True, False), "json")


def write(rank: int, content: bytes, form: str) -> None:
    """Writes a dump of a rank to dumps/FORM."""
    folder = Path("dumps", form)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"trace_rank_{rank}").write_bytes(content)


def collectives() -> None:
    """Calls the collectives that Gloo's recorder records, on 2 ranks and in a group of their
    own.
    """
    with joined() as rank:
        group = dist.new_group([0, 1], group_desc="pair")
        dist.all_reduce(torch.ones(4, 3))
        dist.all_reduce(torch.ones(5, dtype=torch.bfloat16), group=group)
        dist.all_reduce(torch.ones(7, dtype=torch.int64), async_op=True).wait()
        dist.broadcast(torch.ones(2, dtype=torch.float64), 1)
        dist.all_gather([torch.ones(6) for _ in range(2)], torch.ones(6))
        dist.all_gather_into_tensor(torch.ones(4), torch.ones(2))
        dist.reduce(torch.ones(3), 0, group=group)
        dist.gather(torch.ones(2), [torch.ones(2) for _ in range(2)] if rank == 0 else None)
        dist.scatter(torch.ones(1), [torch.ones(1) for _ in range(2)] if rank == 1 else None, 1)
        dist.all_to_all_single(torch.ones(8), torch.ones(8))
        dist.barrier()
        dump(rank)


def mismatched() -> None:
    """Reduces tensors of different types on two ranks; Gloo does not detect it."""
    with joined() as rank:
        dist.all_reduce(torch.ones(4))
        _add_up(torch.ones(4, dtype=torch.int32 if rank == 1 else torch.float32))
        dump(rank)


def _add_up(tensor: torch.Tensor) -> None:
    dist.all_reduce(tensor)  # of another type on each rank


def overwritten() -> None:
    """Calls more collectives than the recorder's ring holds."""
    with joined() as rank:
        for _ in range(30):
            dist.all_reduce(torch.ones(4))
        dump(rank)


def hooked(rank: int) -> None:
    """Installs FlightRecorderHook on one of 2 ranks of torch's fake backend, which records all
    calls.
    """
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=rank, world_size=2, store=FakeStore())
    hook = _C.FlightRecorderHook.attach(c10d._get_default_group(), [0, 1])
    tensor = torch.ones(4)
    dist.all_reduce(tensor)
    dist.all_gather_into_tensor(torch.ones(8), tensor)
    dist.reduce_scatter_tensor(torch.ones(2), tensor)
    if rank == 0:
        dist.send(tensor, 1)
    else:
        dist.recv(tensor, 0)
    exchanged = [
        dist.P2POp(dist.isend, tensor, 1 - rank),
        dist.P2POp(dist.irecv, torch.ones(4), 1 - rank),
    ]
    for work in dist.batch_isend_irecv(exchanged):
        work.wait()
    dump(rank, backend="fake")
    hook.remove()
    dist.destroy_process_group()
