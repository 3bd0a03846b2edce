"""Sums operations in the tree of modules, as `tracectl tree` does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traced.reader import Operation

#: "other" holds operations without a known phase.
PHASES = ("forward", "backward", "recompute", "optimizer", "other")

#: Parameters as text, by module and by name.
Parameters = Mapping[str, Mapping[str, str]]


class Node:
    """A module and the operations that it issued itself.

    Attributes:
        fqn: The name of the model and the attributes that lead from it to the module.
        kind: The class of the module, or "" if it issued no operation.
    """

    def __init__(self, fqn: str) -> None:
        self.fqn = fqn
        self.kind = ""
        self.children: dict[str, Node] = {}
        self.issued: list[Operation] = []

    def all_issued(self) -> Iterator[Operation]:
        """Yields the operations of this module and of all modules below it."""
        yield from self.issued
        for child in self.children.values():
            yield from child.all_issued()

    def below(self, name: str) -> Node:
        """Returns the child of that name, and creates it if it does not exist."""
        fqn = name if self.fqn == "Global" else f"{self.fqn}.{name}"
        return self.children.setdefault(name, Node(fqn))


def tree(operations: Iterable[Operation], parameters: Parameters) -> Node:
    """Returns the root above all models, with every module that has operations or parameters."""
    root = Node("Global")
    nodes: dict[str, Node] = {}
    for fqn in parameters:
        nodes[fqn] = _node(root, *fqn.partition(".")[::2])
    for item in operations:
        if item.model is None:
            root.issued.append(item)
            continue
        node = _node(root, item.model, item.module or "")
        node.kind = item.module_type or ""
        node.issued.append(item)
    return root


def _node(root: Node, model: str, module: str) -> Node:
    node = root.below(model)
    for name in filter(None, module.split(".")):
        node = node.below(name)
    return node


def as_text(root: Node, parameters: Parameters, level: int) -> str:
    """Returns a table with a line per module, and from level 1 per operation and parameter."""
    rows = [["module", "class", *(f"{phase}" for phase in PHASES)]]
    rows += _rows(root, parameters, level, 0)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(lines) + "\n"


def _rows(node: Node, parameters: Parameters, level: int, depth: int) -> Iterator[list[str]]:
    indent = "  " * depth
    yield _row(indent + node.fqn.rpartition(".")[2], node.kind, list(node.all_issued()))
    if level > 0:
        for name, what in parameters.get(node.fqn, {}).items():
            yield _row(f"{indent}  {name}: {what}", "", [])
        for key, same in _grouped(node.issued, level):
            yield _row(f"{indent}  * {' '.join(key)}", "", same)
    for child in node.children.values():
        yield from _rows(child, parameters, level, depth + 1)


def _row(name: str, kind: str, items: list[Operation]) -> list[str]:
    cells = [_cell(same) for same in _by_phase(items).values()]
    return [name, kind, *cells]


def _cell(items: list[Operation]) -> str:
    return f"{len(items)} ({sum(map(_size, items))} B)" if items else ""


def _by_phase(items: Iterable[Operation]) -> dict[str, list[Operation]]:
    phases: dict[str, list[Operation]] = {phase: [] for phase in PHASES}
    for item in items:
        phases[item.phase or "other"].append(item)
    return phases


def _grouped(
    items: Iterable[Operation], level: int
) -> list[tuple[tuple[str, ...], list[Operation]]]:
    """Groups operations by name; from level 2 also by dtype, from level 3 by shape."""
    kinds: dict[tuple[str, ...], list[Operation]] = {}
    for item in items:
        runs = item.inputs or item.outputs or ()
        key = (
            item.op,
            ",".join(sorted({run.dtype for run in runs})) or "-",
            " ".join(str(list(run.shape)) for run in runs) or "-",
        )
        kinds.setdefault(key[: max(level, 1)], []).append(item)
    return sorted(kinds.items())


def _size(item: Operation) -> int:
    return max(item.bytes_in or 0, item.bytes_out or 0)
