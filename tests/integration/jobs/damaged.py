"""Damages the installed package before torch loads it, or after, and runs a job."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import torch
import torch.distributed as dist


def _damage(package: Path, how: str) -> None:
    if how == "removed":
        shutil.rmtree(package)
    elif how == "unreadable":  # even for root
        for file in list(package.rglob("*.py")):
            file.unlink()
            file.mkdir()
    elif how == "syntax":
        (package / "_torch/stacks.py").write_text("x = (")
    elif how == "renamed":
        (package / "_torch/rendezvous.py").rename(package / "_torch/x.py")
    elif how == "older":
        (package / "_torch/groups.py").write_text("def prepare(): pass")
    elif how == "memory":
        (package / "_torch/groups.py").write_text("raise MemoryError")
    elif how == "no-say":
        (package / "_support/log.py").write_text("x = (")
    elif how == "no-settings":
        (package / "_support/settings.py").unlink()
    elif how == "no-guard":
        (package / "_support/guard.py").unlink()
    elif how == "no-extension":
        shutil.rmtree(package / "_extensions")
    else:
        (library,) = package.glob("_extensions/*/_C.*")
        if how == "cut-short":
            os.truncate(library, library.stat().st_size // 2)
        elif how == "other-python":
            library.rename(library.with_name("_C.cpython-39-linux.so"))
        elif how == "other-torch":
            library.parent.rename(package / "_extensions/torch_2_1")


def calls(
    package: Path, where: str, how: str, backend: str, settings: dict[str, str]
) -> list[float]:
    """Has torch load the package the way `import torch` does at its end."""
    for name in [name for name in os.environ if name.startswith("TRACED")]:
        del os.environ[name]
    os.environ.update(settings)
    sys.path.insert(0, str(package.parent))
    if where == "before":
        _damage(package, how)
    assert "traced" not in sys.modules
    torch._import_device_backends()
    assert str(sys.modules["traced"].__file__).startswith(str(package))
    if where == "after":
        _damage(package, how)
    dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    numbers = torch.ones(4)
    dist.all_reduce(numbers)
    dist.new_group([0])
    dist.destroy_process_group()
    return list(numbers.tolist())
