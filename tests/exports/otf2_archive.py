"""Reads an OTF2 archive with OTF2's own Python module and with otf2-print."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tracectl import tracectl

_PYTHON = "/usr/bin/python3"  # only Debian's interpreter has the module

# Prints a whole archive; references are printed as names.
_READER = """
import json, sys
import otf2

def as_json(thing):
    if isinstance(thing, otf2.definitions.Comm):
        return {"name": thing.name, "members": list(map(as_json, thing.group.members))}
    if hasattr(thing, "name") and not isinstance(thing, otf2.definitions.Location):
        return str(thing.name)
    if isinstance(thing, otf2.definitions.Location):
        return thing.group.name + ": " + thing.name
    return thing if isinstance(thing, (int, str)) else str(thing)

def event(location, event):
    fields = {k: as_json(v) for k, v in vars(event).items() if k != "attributes"}
    facts = {key.name: value for key, value in (event.attributes or {}).items()}
    return {"kind": type(event).__name__, "location": as_json(location), "facts": facts, **fields}

def host(location):
    return location.group.system_tree_parent.name

with otf2.reader.open(sys.argv[1]) as trace:
    definitions = trace.definitions
    clock = definitions.clock_properties
    json.dump({
        "clock": {name: getattr(clock, name) for name in
                  ("timer_resolution", "global_offset", "trace_length")},
        "locations": {as_json(one): one.number_of_events for one in definitions.locations},
        "hosts": {one.group.name: host(one) for one in definitions.locations},
        "host_facts": {p.system_tree_node.name: [p.name, p.value]
                       for p in definitions.system_tree_node_properties},
        "comms": [as_json(one) for one in definitions.comms],
        "regions": {one.name: [str(one.region_role), str(one.paradigm)]
                    for one in definitions.regions},
        "events": [event(*one) for one in trace.events],
    }, sys.stdout)
"""


BEGINS = ("MpiCollectiveBegin", "NonBlockingCollectiveRequest", "MpiIsend", "MpiIrecvRequest")


@dataclass
class Otf2Archive:
    """Holds the contents of an archive."""

    folder: Path
    content: dict[str, Any]

    @property
    def events(self) -> list[dict[str, Any]]:
        return self.content["events"]

    def of_kind(self, *kinds: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["kind"] in kinds]

    def printed(self) -> dict[str, int]:
        return printed(self.folder)

    def markers(self) -> str:
        return _run("otf2-marker", self.folder / "traces.otf2")


def archive(traces: Path, folder: Path, *options: str) -> Otf2Archive:
    """Exports traces as OTF2 and reads the archive."""
    answer = tracectl("export", traces, "--format", "otf2", "-o", folder, *options)
    assert answer.exit_code == 0, answer.stderr
    return read(folder)


def printed(folder: Path) -> dict[str, int]:
    """Returns the number of events of each kind that otf2-print shows."""
    _need_readers()
    counts: dict[str, int] = {}
    for line in _run("otf2-print", folder / "traces.otf2").splitlines():
        if found := re.match(r"([A-Z_]+) +\d+ +\d+ ", line):
            counts[found[1]] = counts.get(found[1], 0) + 1
    return counts


def read(folder: Path) -> Otf2Archive:
    _need_readers()
    return Otf2Archive(folder, json.loads(_run(_PYTHON, "-c", _READER, folder / "traces.otf2")))


def rank_of(event: dict[str, Any]) -> int:
    return int(event["location"].split(":")[0].removeprefix("rank "))


def operations(of: Otf2Archive) -> list[dict[str, Any]]:
    """Returns each operation with its begin and, if recorded, its end."""
    ended: dict[Any, dict[str, Any]] = {}
    for event in of.events:
        if "request_id" in event and event["kind"] not in BEGINS:
            ended[rank_of(event), event["request_id"]] = event
    # Operations without a number end in the call in which they begin.
    of_calls = defaultdict(list)
    for event in of.of_kind("MpiCollectiveEnd"):
        of_calls[event["location"]].append(event)
    found = []
    for event in of.of_kind(*BEGINS):
        begun = {"begin": event, "end": ended.get((rank_of(event), event.get("request_id")))}
        if event["kind"] == "MpiCollectiveBegin" and of_calls[event["location"]]:
            begun["end"] = of_calls[event["location"]].pop(0)
        found.append(begun)
    return found


def _need_readers() -> None:
    if not _has_readers():
        pytest.skip("there is no otf2-print or python3-otf2: scripts/export_tools says why")


@cache
def _has_readers() -> bool:
    probe = f"command -v otf2-print && {_PYTHON} -c 'import otf2'"
    return subprocess.run(["sh", "-c", probe], capture_output=True, check=False).returncode == 0


def _run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    # The library reports errors there and continues.
    assert not done.stderr, done.stderr
    return done.stdout
