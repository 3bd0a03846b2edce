"""Process groups: their members, identity and label (docs/reference/format.md, "Definitions")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from traced.reader.wire import definitions_pb2

#: Largest Group.size that is accepted.
MAX_GROUP_SIZE = 16_777_216


@dataclass(frozen=True, slots=True)
class RankRange:
    """The ranks first, first + stride, ..., count of them."""

    first: int
    count: int
    stride: int

    def ranks(self) -> Iterator[int]:
        """Yields every rank of the range."""
        return (self.first + i * self.stride for i in range(self.count))


@dataclass(frozen=True, slots=True)
class Group:
    """A process group as one rank sees it; definitions.proto describes each field of Group."""

    id: int
    name: str
    desc: str
    backend: str
    leg: str
    members: tuple[RankRange, ...]
    size: int
    group_rank: int
    nth: int
    #: Whether TRACED_SCOPE excluded operations of the group.
    left_out: bool = False
    #: The class of the backend; "" for the one of torch with that name.
    backend_class: str = ""

    @property
    def label(self) -> str:
        """The description of the group, or its name if it has none."""
        return self.name if self.desc in ("", "undefined") else self.desc

    @property
    def identity(self) -> tuple[str, tuple[RankRange, ...], int]:
        """A value that is equal on two ranks of one attempt if this is the same group."""
        return self.leg, normal_form(self.members), self.nth

    def ranks(self) -> Iterator[int]:
        """Yields the global ranks of the members in group rank order."""
        for item in self.members:
            yield from item.ranks()

    def relabelled(self, newer: Group) -> Group:
        """Returns this group with the names of a later definition."""
        left_out = self.left_out or newer.left_out
        return replace(self, name=newer.name, desc=newer.desc, left_out=left_out)

    @classmethod
    def of(cls, message: definitions_pb2.Group) -> Group:
        """Converts the message.

        Raises:
            ValueError: The members do not make a group of the given size.
        """
        if message.size > MAX_GROUP_SIZE:
            raise ValueError(f"its size {message.size} exceeds {MAX_GROUP_SIZE}")
        members = tuple(RankRange(item.first, item.count, item.stride) for item in message.member)
        if sum(item.count for item in members) != message.size:
            raise ValueError(f"its members do not add up to its size {message.size}")
        if any(item.first + (item.count - 1) * item.stride < 0 for item in members if item.count):
            raise ValueError("it has a negative rank")
        return cls(
            id=message.id,
            name=message.name,
            desc=message.desc,
            backend=message.backend,
            leg=message.leg,
            members=members,
            size=message.size,
            group_rank=message.group_rank,
            nth=message.nth,
            left_out=message.left_out,
            backend_class=message.backend_class,
        )


def normal_form(members: Iterable[RankRange]) -> tuple[RankRange, ...]:
    """Returns the ranges that a list of ranks has, however it was cut into ranges.

    Each range takes as many ranks as it can, from the first on. A lone rank has stride 0.
    """
    runs: list[RankRange] = []
    for item in members:
        first, left = item.first, item.count
        while left:
            last = runs[-1] if runs else None
            taken = 1
            if last is None or (last.count > 1 and first != last.first + last.count * last.stride):
                taken = left
                runs.append(RankRange(first, taken, item.stride if taken > 1 else 0))
            elif last.count == 1:
                runs[-1] = RankRange(last.first, 2, first - last.first)
            else:
                taken = left if item.stride == last.stride else 1
                runs[-1] = replace(last, count=last.count + taken)
            first, left = first + taken * item.stride, left - taken
    return tuple(runs)
