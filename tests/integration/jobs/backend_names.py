"""Jobs that request tracing in many ways."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
import traced
from torch.distributed.distributed_c10d import ProcessGroupGloo, _get_default_group

# registers the backend "fake", for cuda legs
from torch.testing._internal.distributed import fake_pg

from jobs.joining import join, joined

assert fake_pg


def appearance() -> dict[str, Any]:
    """Returns what PyTorch's code sees of the default group, and of each of its devices."""
    group = _get_default_group()
    backends = {device.type: group._get_backend(device) for device in group._device_types}
    return {
        "backend": str(dist.get_backend()),
        "name": group.name(),
        "type": type(group) is dist.ProcessGroup,
        "gloo": {name: isinstance(item, ProcessGroupGloo) for name, item in backends.items()},
        "names": {name: item.name() for name, item in backends.items()},
        "traced": sorted(
            name for name, item in backends.items() if traced.recording.unwrapped(item) is not item
        ),
    }


def joins(backend: str | None) -> dict[str, Any]:
    """Joins by the backend name; returns a sum and the group's appearance."""
    with joined(backend) as rank:
        tensor = torch.arange(3.0) + rank
        dist.all_reduce(tensor)
        seen = appearance()
        dist.all_reduce(tensor, group=dist.new_group([0, 1], group_desc="sub"))
    return seen | {"sum": tensor.tolist(), "location": traced.location()}


def refused(backend: str) -> tuple[str, str, bool]:
    """Returns the error for an unsupported backend name."""
    try:
        join(backend)
    except Exception as error:
        return type(error).__name__, str(error), dist.is_initialized()
    return "", "", True


def mixed_groups() -> list[str]:
    """Makes a traced default group, and groups by the names of stock backends."""
    with joined():
        for backend in ("gloo", "cpu:gloo", "cpu:traced_gloo", "traced:gloo", None):
            group = dist.new_group(backend=backend, group_desc=str(backend))
            dist.all_reduce(torch.ones(1), group=group)
    return []


def overridden_meshes() -> list[str]:
    """Makes meshes with a backend per dimension, in an untraced default group."""
    with joined("gloo"):
        for backend in ("traced:gloo", "cpu:traced_gloo", "gloo"):
            mesh = dist.init_device_mesh(
                "cpu",
                (2, 1),
                mesh_dim_names=("rows", "columns"),
                backend_override={"rows": backend},
            )
            group = mesh.get_group("rows")
            dist.all_reduce(torch.ones(1), group=group)
            dist.all_reduce(torch.ones(1), group=mesh.get_group("columns"))
    return []


def split_groups(backend: str) -> str:
    """Splits the default group; returns whether the part is traced, or why it does not exist."""
    with joined(backend):
        try:
            group = dist.split_group(split_ranks=[[0, 1]], group_desc="split")
        except (RuntimeError, AttributeError) as error:
            return f"{type(error).__name__}: {error}"
        dist.all_reduce(torch.ones(1), group=group)
        inner = group._get_backend(torch.device("cpu"))
        return "traced" if traced.recording.unwrapped(inner) is not inner else "stock"
