"""The name of a start, which ranks agree on through the job's store."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d
from traced._torch import start_name


class _Group:
    def size(self) -> int:
        return 2


@pytest.fixture
def agree(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Requests the name as a rank whose default group has a store."""

    def asks(store: Any, attempt: int = 0) -> tuple[str, int]:
        group: Any = _Group()
        world = type("World", (), {"pg_map": {group: ("gloo", store)}})
        monkeypatch.setattr(c10d, "_world", world)
        monkeypatch.setattr(dist, "is_initialized", lambda: False)
        return start_name.agree(group, attempt)

    return asks


def _stores(kind: str, folder: Path) -> list[dist.Store]:
    """Returns one store as two ranks see it."""
    if kind == "file":
        return [dist.FileStore(str(folder / "store"), 2) for _ in range(2)]
    if kind == "hash":
        return [dist.HashStore()] * 2
    server = dist.TCPStore("127.0.0.1", 0, 2, is_master=True, wait_for_workers=False)
    return [server, dist.TCPStore("127.0.0.1", server.port, 2, is_master=False)]


@pytest.mark.parametrize("kind", ["file", "hash", "tcp"])
def test_ranks_agree_on_the_name_that_the_first_chose(
    agree: Any, kind: str, tmp_path: Path
) -> None:
    first, second = _stores(kind, tmp_path)
    name, attempt = agree(dist.PrefixStore("0/", first), 3)
    assert re.fullmatch("[0-9a-f]{16}", name)
    assert attempt == 3
    assert agree(dist.PrefixStore("0/", second), 1) == (name, 3)
    later = agree(dist.PrefixStore("attempt_1", second), 1)
    assert later[0] != name


@pytest.mark.parametrize("agreed", [b"", b"\xff", b"name 1", b"0123456789abcdef 1\n", None])
def test_a_store_that_cannot_do_it_gives_no_name(agree: Any, agreed: bytes | None) -> None:
    class Other:
        def compare_set(self, *_: str) -> bytes:
            if agreed is None:
                raise RuntimeError("not implemented")
            return agreed

    assert agree(Other()) == ("", 0)
    assert agree(object()) == ("", 0)


def test_a_store_that_hangs_is_not_waited_for(agree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    class Hangs:
        def compare_set(self, *_: str) -> bytes:
            release.wait()
            return b"0123456789abcdef 1"

    monkeypatch.setattr(start_name, "_PATIENCE_S", 0.01)
    try:
        assert agree(Hangs()) == ("", 0)
    finally:
        release.set()
