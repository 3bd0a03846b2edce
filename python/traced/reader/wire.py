"""The one place that imports what the reader needs from elsewhere.

A package that is missing or too old becomes one sentence instead of a traceback through generated
code.
"""

from __future__ import annotations

from traced._support.errors import TracedError

try:
    import xxhash
    import zstandard
    from google.protobuf.message import DecodeError
except ImportError as error:
    raise TracedError(
        f"reading traces needs the Python packages protobuf, xxhash and zstandard: {error}"
    ) from error

try:
    from traced.v1 import clock_pb2, definitions_pb2, trace_pb2
except ImportError as error:
    raise TracedError(
        f"this installation of traced lacks its generated protobuf modules: {error}"
    ) from error
except Exception as error:  # protobuf refuses code generated for another version in many ways
    raise TracedError(
        f"the installed Python package protobuf does not fit this installation of traced: {error}"
    ) from error

#: What parsing a malformed message raises; pure Python protobuf adds the last two.
PARSE_ERRORS = (DecodeError, ValueError, RecursionError)

__all__ = [
    "PARSE_ERRORS",
    "clock_pb2",
    "definitions_pb2",
    "trace_pb2",
    "xxhash",
    "zstandard",
]
