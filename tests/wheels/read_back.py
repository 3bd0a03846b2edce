"""Reads the trace of job.py with the Python that recorded it, and prints the result."""

from __future__ import annotations

import json
import sys

import torch
import traced
from traced._support.extension import load_extension

extension = load_extension()
trace = traced.read(sys.argv[1])
found = {
    "torch": torch.__version__,
    "folder": extension.__file__.split("/")[-2],
    "built_for": extension.torch_version,
    "recorded": sorted({stream.header.torch_version for stream in trace.streams}),
    "ops": [[item.op for item in stream.operations] for stream in trace.streams],
}
print(json.dumps(found))
