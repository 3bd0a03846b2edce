"""Bounds the memory of all chunks together (docs/reference/format.md, "Bounds").

Decoding bounds each chunk, but many tiny chunks of the maximum unpacked size could still fill the
memory.
"""

from __future__ import annotations

from traced.reader.wire import trace_pb2

# A real trace takes about three bytes of the file per row, and its payloads are twice as large as
# their stored form. These limits are far higher.
_FREE_ROWS = 1 << 16
_ROWS_PER_BYTE = 2
_FREE_PAYLOAD_BYTES = 4 << 20
_PAYLOAD_PER_BYTE = 32


class Allowance:
    """The amount that chunks have used so far."""

    def __init__(self) -> None:
        self._stored_bytes = 0
        self._payload_bytes = 0
        self._rows = 0

    def take(self, stored_bytes: int, payload_bytes: int, payload: trace_pb2.Payload) -> bool:
        """Adds a chunk and returns True, or returns False if it exceeds the limits."""
        stored = self._stored_bytes + stored_bytes
        unpacked = self._payload_bytes + payload_bytes
        rows = self._rows + _row_count(payload)
        if rows > _FREE_ROWS + _ROWS_PER_BYTE * stored:
            return False
        if unpacked > _FREE_PAYLOAD_BYTES + _PAYLOAD_PER_BYTE * stored:
            return False
        self._stored_bytes, self._payload_bytes, self._rows = stored, unpacked, rows
        return True


def _row_count(payload: trace_pb2.Payload) -> int:
    operations = (
        payload.issued,
        payload.returned,
        payload.done,
        payload.waited,
        payload.released,
        payload.method,
    )
    marks = len(payload.marked.position_delta)
    return marks + sum(len(table.op_delta) for table in operations)
