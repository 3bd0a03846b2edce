"""Imports the packages that the reader needs.

A missing or outdated package becomes one sentence instead of a traceback through generated code.
"""

from __future__ import annotations

from traced._support.errors import TracedError

try:
    import xxhash
    import zstandard
    from google.protobuf.message import DecodeError
except ImportError as error:
    raise TracedError(
        f"traced: reading traces needs protobuf, xxhash and zstandard ({error}); "
        "run `pip install protobuf xxhash zstandard`"
    ) from error

try:
    from traced.v1 import clock_pb2, definitions_pb2, trace_pb2
except ImportError as error:
    raise TracedError(
        f"traced: this installation lacks its protobuf modules ({error}); install it again"
    ) from error
except Exception as error:  # protobuf raises various errors for code of another version
    raise TracedError(
        f"traced: the installed package protobuf does not fit this installation ({error}); "
        "run `pip install 'protobuf>=4.21,<8'`"
    ) from error

#: Exceptions of parsing a malformed message; pure Python protobuf raises the last two.
PARSE_ERRORS = (DecodeError, ValueError, RecursionError)

__all__ = [
    "PARSE_ERRORS",
    "clock_pb2",
    "definitions_pb2",
    "trace_pb2",
    "xxhash",
    "zstandard",
]
