"""The name of a traced backend equals the stock name and what the user wrote."""

from __future__ import annotations

import pickle
from operator import eq, ne

import pytest
from traced._torch.backend_names import TracedName

_NAME = TracedName("gloo")


@pytest.mark.parametrize("same", ["gloo", "traced:gloo", "traced_gloo", TracedName("gloo")])
def test_equals(same: str) -> None:
    assert eq(_NAME, same)
    assert eq(same, _NAME)
    assert not ne(_NAME, same)
    assert not ne(same, _NAME)


@pytest.mark.parametrize("other", ["nccl", "traced:nccl", "traced", "", None, 3])
def test_differs(other: object) -> None:
    assert ne(_NAME, other)
    assert ne(other, _NAME)
    assert not eq(_NAME, other)


def test_is_found_where_the_stock_name_is() -> None:
    assert {"gloo": 1}[_NAME] == 1
    assert _NAME in ("nccl", "gloo")


def test_leaves_the_process_as_the_stock_name() -> None:
    assert type(pickle.loads(pickle.dumps(_NAME))) is str
