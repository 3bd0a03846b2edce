"""Reads trace files without torch and without the native extension.

docs/reference/format.md describes the layout of a trace. Each module covers one section of it.
"""

from __future__ import annotations

from traced.reader.chunks import ByteRange
from traced.reader.clocks import ClockKnot, ClockModel
from traced.reader.definitions import BufferRange, CppFrame, Frame, TensorRun, Thread
from traced.reader.groups import Group, RankRange
from traced.reader.header import Accounts, ClockAnchor, Header, Rendezvous, ThreadDrops
from traced.reader.marks import Mark
from traced.reader.merges import Merge
from traced.reader.operations import Operation
from traced.reader.process_end import ProcessEnd
from traced.reader.streams import Gap, Stream
from traced.reader.trace import Trace, parse, read

__all__ = [
    "Accounts",
    "BufferRange",
    "ByteRange",
    "ClockAnchor",
    "ClockKnot",
    "ClockModel",
    "CppFrame",
    "Frame",
    "Gap",
    "Group",
    "Header",
    "Mark",
    "Merge",
    "Operation",
    "ProcessEnd",
    "RankRange",
    "Rendezvous",
    "Stream",
    "TensorRun",
    "Thread",
    "ThreadDrops",
    "Trace",
    "parse",
    "read",
]
