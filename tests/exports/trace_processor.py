"""Queries Perfetto's own trace processor, offline."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import perfetto
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PIECE = 1 << 20
_MESSAGES = Path(perfetto.__path__[0]) / "trace_processor" / "trace_processor.descriptor"
_ENGINE = Path(__file__).with_name("engine.js")


def _messages(*names: str) -> list[Any]:
    """Returns the message classes that the package describes."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(_MESSAGES.read_bytes()).file:
        pool.Add(file)
    return [
        message_factory.GetMessageClass(pool.FindMessageTypeByName(f"perfetto.protos.{name}"))
        for name in names
    ]


Rpc, RpcStream, QueryArgs, QueryResult = _messages(
    "TraceProcessorRpc", "TraceProcessorRpcStream", "QueryArgs", "QueryResult"
)


class TraceProcessor:
    """Holds a loaded trace."""

    def __init__(self, trace: Path, node: Path, release: Path) -> None:
        self._engine = subprocess.Popen(
            [node, _ENGINE, release],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        data = trace.read_bytes()
        for begin in range(0, len(data), _PIECE):
            piece = data[begin : begin + _PIECE]
            self._send(Rpc.TPM_APPEND_TRACE_DATA, append_trace_data=piece)
            reply = self._receive()
            assert not reply.append_result.error, reply.append_result.error
        self._send(Rpc.TPM_FINALIZE_TRACE_DATA)
        self._receive()

    def __enter__(self) -> TraceProcessor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._engine.kill()
        self._engine.communicate()

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Returns the rows of a query."""
        self._send(Rpc.TPM_QUERY_STREAMING, query_args=QueryArgs(sql_query=sql))
        columns: list[str] = []
        cells: list[Any] = []
        while True:
            result = self._receive().query_result
            assert not result.error, result.error
            columns = columns or list(result.column_names)
            for batch in result.batch:
                cells.extend(_cells(batch))
                if batch.is_last_batch:
                    width = len(columns)
                    rows = zip(*(cells[i::width] for i in range(width)), strict=True)
                    return [dict(zip(columns, row, strict=True)) for row in rows]

    def figure(self, sql: str) -> Any:
        """Returns the single number of a query."""
        ((value,),) = (tuple(row.values()) for row in self.query(sql))
        return value

    def _send(self, method: int, **fields: Any) -> None:
        self._number += 1
        request = Rpc(seq=self._number, request=method, **fields)
        stdin = self._engine.stdin
        assert stdin
        stdin.write(RpcStream(msg=[request]).SerializeToString())
        stdin.flush()

    def _receive(self) -> Any:
        assert self._read(1) == b"\x0a"
        size = shift = 0
        while True:
            byte = self._read(1)[0]
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return Rpc.FromString(self._read(size))

    def _read(self, size: int) -> bytes:
        stdout = self._engine.stdout
        assert stdout
        data = stdout.read(size)
        assert len(data) == size, "the engine ended"
        return data


def _cells(batch: Any) -> Iterator[Any]:
    kinds = QueryResult.CellsBatch
    values = {
        kinds.CELL_VARINT: iter(batch.varint_cells),
        kinds.CELL_FLOAT64: iter(batch.float64_cells),
        kinds.CELL_STRING: iter(batch.string_cells.split("\0")),
        kinds.CELL_BLOB: iter(batch.blob_cells),
    }
    for kind in batch.cells:
        yield None if kind == kinds.CELL_NULL else next(values[kind])
