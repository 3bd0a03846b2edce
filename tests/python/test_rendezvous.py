"""Identifiers that separate runs of one name."""

from __future__ import annotations

from typing import Any

import pytest
from torch.distributed import distributed_c10d as c10d
from traced._torch import rendezvous


class _Store:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


@pytest.fixture(autouse=True)
def _no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns a group whose store has three layers."""
    inner = _Store(host="10.0.0.1", port=29500)
    store = _Store(underlying_store=_Store(underlying_store=inner))
    monkeypatch.setattr(c10d, "_world", _Store(pg_map={"group": ("gloo", store)}))
    return "group"


def test_the_rendezvous_is_the_stores_address(group: Any) -> None:
    assert rendezvous.texts(group) == {"address": "10.0.0.1", "run_id": "", "launcher": ""}
    assert rendezvous.port(group) == 29500


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "0.0.0.0", "", None, 7])
def test_a_loopback_address_identifies_nothing(group: Any, host: Any) -> None:
    store: Any = c10d._world.pg_map[group][1]
    store.underlying_store.underlying_store.host = host
    assert rendezvous.texts(group)["address"] == ""


@pytest.mark.parametrize("store", [None, object(), _Store(port="x", host=3), _Store(port=1 << 20)])
def test_other_stores_identify_nothing(group: Any, store: Any) -> None:
    c10d._world.pg_map[group] = ("gloo", store)
    assert set(rendezvous.texts(group).values()) == {""}
    assert rendezvous.port(group) == 0


def test_a_launcher_names_the_run_and_its_start(
    group: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "r\udcff7")
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", "/tmp/te_1/r_2/attempt_0/3/error.json")
    texts = rendezvous.texts(group)
    assert (texts["run_id"], texts["launcher"]) == ("r?7", "/tmp/te_1/r_2")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", "/home/me/jobs/error.json")
    texts = rendezvous.texts(group)
    assert (texts["run_id"], texts["launcher"]) == ("", "")
