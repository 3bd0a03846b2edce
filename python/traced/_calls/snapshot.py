"""Returns the latest records of this process as plain values: :func:`traced.snapshot`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from traced._support import arguments
from traced._support.errors import TracedError

if TYPE_CHECKING:
    from traced.reader import Group, Mark, Operation, Stream

# Records that the file lost for these reasons may still be in memory.
_LOST_BY_FILE = ("write_failed", "retention")
_POINT_TO_POINT = ("send", "recv")


def snapshot(
    active_only: bool = False, stacks: bool = False, deadline: float = 1.0
) -> dict[str, Any]:
    """Returns the latest records of this process, as plain values that JSON can hold.

    Call it from any thread, also while operations are in flight; other threads keep running. It
    reads memory (``TRACED_WINDOW_MB``), not the file, so it works with a full or absent disk. Times
    in ``_ns`` are nanoseconds on the host's CLOCK_MONOTONIC, sizes are bytes.

    Args:
        active_only: Whether to leave out operations that have ended or failed.
        stacks: Whether to include ``stack``, ``cpp_stack``, ``stack_cut`` and ``cpp_stack_cut`` of
            each operation, as recorded with TRACED_STACKS and TRACED_CPP_STACKS. ``site`` is
            always included.
        deadline: Seconds to wait at most for the latest records.

    Returns:
        A dict with these keys:

        - ``rank``, ``world_size``, ``job``, ``attempt``, ``host``, ``pid`` identify the process.
        - ``taken_ns`` and ``taken_realtime_ns`` (nanoseconds since 1970) are the time of the call.
        - ``up_to_date`` is False if the deadline passed first: the latest records are missing.
        - ``older_records`` counts the records before these; ``dropped`` counts, by reason, the
          records that could not be recorded.
        - ``groups`` lists recently used groups: ``id``, ``name``, ``desc``, ``backend``, ``leg``,
          ``size``, ``group_rank``, ``members`` (global ranks), and the last sequence numbers of
          their collectives, ``last_issued`` and ``last_ended``, if any.
        - ``operations`` lists operations in the order of issue, with the known fields of
          :class:`traced.reader.Operation`, ``group_name`` and ``group_desc``. ``state`` is
          ``issued`` (the call has not returned), ``returned``, ``ended``, ``waited`` or ``failed``.
          Operations of one call share lists such as ``inputs``: copy a list before you change it.
        - ``marks`` lists marks with ``kind``, ``mark_ns``, ``position``, ``value`` and ``text``.

    Raises:
        TypeError: `deadline` is not a number.
        TracedError: This process does not record, keeps no records in memory, or does not record
            the `stacks` asked for.
    """
    # The reader needs packages that a training job does not, so it is imported on demand.
    from traced.reader import parse
    from traced.recording import _extension

    within = arguments.seconds("snapshot", "deadline", deadline)
    extension = _extension()
    recent = extension.recent(within) if extension else None
    if recent is None:
        raise TracedError(
            "traced.snapshot: this process does not record; make a traced process group first"
        )
    chunks, up_to_date = recent
    streams = parse(chunks, "memory").streams
    if not streams:
        raise TracedError(
            "traced.snapshot: no records are kept in memory; set TRACED_WINDOW_MB to more than 0"
        )
    stream = streams[0]
    if stacks and not _has_stacks(stream):
        raise TracedError(
            "traced.snapshot: stacks are not recorded; set TRACED_STACKS to site or full, or "
            "TRACED_CPP_STACKS=1"
        )
    operations = [item for item in stream.operations if not (active_only and _is_over(item))]
    return {
        **_who(stream),
        "taken_ns": time.clock_gettime_ns(time.CLOCK_MONOTONIC),
        "taken_realtime_ns": time.time_ns(),
        "up_to_date": up_to_date,
        **_losses(stream),
        "groups": _groups(stream),
        "operations": _operations(operations, stream, stacks),
        "marks": [_mark(mark) for mark in stream.marks],
    }


def _has_stacks(stream: Stream) -> bool:
    header = stream.header
    settings = header.settings if header else {}
    return settings.get("TRACED_STACKS", "off") != "off" or settings.get("TRACED_CPP_STACKS") == "1"


def _is_over(operation: Operation) -> bool:
    return operation.end_ns is not None or operation.state == "failed"


def _who(stream: Stream) -> dict[str, Any]:
    header = stream.header
    if header is None:
        return {}
    names = ("rank", "world_size", "job", "attempt", "host", "pid")
    return {name: getattr(header, name) for name in names}


def _losses(stream: Stream) -> dict[str, Any]:
    accounts = stream.accounts
    if accounts is None:
        return {}
    dropped = {why: count for why, count in accounts.drops.items() if why not in _LOST_BY_FILE}
    older = accounts.produced - sum(dropped.values()) - stream.records
    return {"older_records": max(older, 0), "dropped": dropped}


def _groups(stream: Stream) -> list[dict[str, Any]]:
    groups = {group.id: _group(group) for group in stream.groups.values()}
    for item in stream.operations:
        group = groups.get(item.group or 0)
        if group is None or item.seq is None or item.op in _POINT_TO_POINT:
            continue
        group["last_issued"] = max(item.seq, group.get("last_issued", 0))
        if item.end_ns is not None:
            group["last_ended"] = max(item.seq, group.get("last_ended", 0))
    return list(groups.values())


def _group(group: Group) -> dict[str, Any]:
    return {
        "id": group.id,
        "name": group.name,
        "desc": group.desc,
        "backend": group.backend,
        "leg": group.leg,
        "size": group.size,
        "group_rank": group.group_rank,
        "members": list(group.ranks()),
    }


def _operations(operations: list[Operation], stream: Stream, stacks: bool) -> list[dict[str, Any]]:
    from traced.reader.operations import named, plain

    # Operations share values such as shapes: each is converted once. The stream keeps them alive,
    # so an id() stays unique.
    shared: dict[int, Any] = {}

    def nested(value: Any) -> Any:
        key = id(value)
        if key not in shared:
            shared[key] = plain(value)
        return shared[key]

    return [_operation(named(item, nested), item, stream, stacks) for item in operations]


def _operation(
    values: dict[str, Any], operation: Operation, stream: Stream, stacks: bool
) -> dict[str, Any]:
    if not stacks:
        for name in ("stack", "stack_cut", "cpp_stack", "cpp_stack_cut"):
            values.pop(name, None)
    values["state"] = _progress(operation)
    group = stream.groups.get(operation.group or 0)
    if group is not None:
        values["group_name"], values["group_desc"] = group.name, group.desc
    return values


def _progress(operation: Operation) -> str:
    if operation.state == "failed":
        return "failed"
    if operation.wait_end_ns is not None:
        return "waited"
    if operation.end_ns is not None:
        return "ended"
    return "issued" if operation.return_ns is None else "returned"


def _mark(mark: Mark) -> dict[str, Any]:
    return {name: value for name, value in mark._asdict().items() if value is not None}
