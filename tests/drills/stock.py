"""Runs PyTorch's own analyzer, torchfrtrace, on the same jobs.

Gloo's Flight Recorder does not dump the groups, so the analyzer fails with a KeyError on every real
dump. Here it gets dumps with the groups added.
"""

from __future__ import annotations

import io
import logging
import pickle
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drills.programs import groups

_PREFIX = "rank_"
_LOGGER = "Flight Recorder"
_TYPES = (
    "COLLECTIVE_TYPE_MISMATCH",
    "SIZE_OR_SYNTAX_MISMATCH",
    "COLLECTIVE_STATE_MISMATCH",
    "COLLECTIVE_DTYPE_MISMATCH",
)


@dataclass(frozen=True)
class StockFinding:
    """The first problem that it reports.

    Attributes:
        kind: One of its mismatches, "missing", "undecided", "nothing", or the exception
        that it ended with.
    """

    kind: str
    culprits: tuple[int, ...] = ()


def analyze(folder: str, world: int, mended: bool) -> StockFinding:
    """Runs it on the dumps of a drill.

    Args:
        mended: Whether to add the groups first.
    """
    from torch.distributed.flight_recorder import fr_trace

    flights = Path(folder, "flights")
    if mended:
        flights = _mended(flights, world)
    options = [str(flights), "-p", _PREFIX]
    if len(list(flights.glob(f"{_PREFIX}*"))) < world:
        options.append("--allow-incomplete-ranks")
    with _captured_log() as log:
        try:
            fr_trace.main(options)
        except Exception as error:
            return StockFinding(type(error).__name__)
    return _first(log.getvalue())


def _mended(flights: Path, world: int) -> Path:
    mended = flights.with_name("flights-mended")
    mended.mkdir(exist_ok=True)
    members = groups(world)
    for path in flights.glob(f"{_PREFIX}*"):
        dump: dict[str, Any] = pickle.loads(path.read_bytes())
        made = {entry["process_group"] for entry in dump.get("entries", [])}
        dump["pg_config"] = {
            name: {"name": name, "desc": desc, "ranks": str(list(members[desc]))}
            for name, desc in made
        }
        (mended / path.name).write_bytes(pickle.dumps(dump))
    return mended


@contextmanager
def _captured_log() -> Iterator[io.StringIO]:
    """Captures its log, which would be written to stderr."""
    logger = logging.getLogger(_LOGGER)
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    before, logger.propagate = logger.handlers[:], False
    logger.handlers[:] = [handler]
    try:
        yield log
    finally:
        logger.handlers[:] = before


def _first(log: str) -> StockFinding:
    """Returns its first complaint. The texts are those of components/types.py of torch."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        rest = "\n".join(lines[number : number + 40])
        if "Not all ranks joining" in line:
            found = re.search(r"missing ranks: \{([^}]*)\}", rest)
            return StockFinding("missing", _ranks(found[1] if found else ""))
        if "has errors" in line:
            kind = next((name for name in _TYPES if name in rest), "error")
            return StockFinding(kind, _ranks(" ".join(re.findall(r"ulprit rank (\d+)", rest))))
        if "Input/output mismatch" in line:
            return StockFinding("SIZE_OR_SYNTAX_MISMATCH")
        if "cannot decide" in line:
            return StockFinding("undecided")
    return StockFinding("nothing")


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(number) for number in re.findall(r"\d+", text)}))
