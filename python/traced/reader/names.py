"""Names of enum values, lower case, without prefix (docs/reference/format.md, "Names")."""

from __future__ import annotations

from collections.abc import Iterable

from traced.reader.wire import clock_pb2, definitions_pb2, trace_pb2

#: The name of an operation whose call is not defined.
UNKNOWN_OPERATION = "unknown"


class EnumNames:
    """Names the numbers of one enum, also those added after this reader was written."""

    def __init__(self, prefix: str, items: Iterable[tuple[str, int]]) -> None:
        self._prefix = prefix.lower()
        self._names = {number: name.removeprefix(prefix).lower() for name, number in items}

    def __call__(self, number: int) -> str:
        """Returns the name of a number, such as `all_reduce` or `operation_99`."""
        return self._names.get(number) or f"{self._prefix}{number}"

    def unless_unspecified(self, number: int) -> str | None:
        """Returns the name of a number, or None for 0."""
        return self(number) if number else None


operation_name = EnumNames("OPERATION_", definitions_pb2.Operation.items())
dtype_name = EnumNames("DTYPE_", definitions_pb2.DType.items())
reduce_op_name = EnumNames("REDUCE_OP_", definitions_pb2.ReduceOp.items())
device_name = EnumNames("DEVICE_TYPE_", definitions_pb2.DeviceType.items())
# "hook" is shorter than the name in the schema.
end_source_name = EnumNames(
    "END_SOURCE_",
    (
        ("hook" if number == trace_pb2.END_SOURCE_COMPLETION_HOOK else name, number)
        for name, number in trace_pb2.EndSource.items()
    ),
)
mark_kind_name = EnumNames("MARK_KIND_", trace_pb2.MarkKind.items())
drop_reason_name = EnumNames("DROP_REASON_", trace_pb2.DropReason.items())
phase_name = EnumNames("PHASE_", definitions_pb2.Phase.items())
observer_name = EnumNames("PROCESS_END_OBSERVER_", trace_pb2.ProcessEndObserver.items())
clock_source_name = EnumNames("CLOCK_SOURCE_", clock_pb2.ClockSource.items())
