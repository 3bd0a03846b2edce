"""Reads how the communication library performed operations (docs/reference/format.md, "Rows")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from traced.reader.definitions import ChunkDefinitions
from traced.reader.rows import MethodRow

#: Replaces the name where an operation used several algorithms or protocols.
SEVERAL = "several"


class Methods:
    """Collects the rows of one stream, in order."""

    def __init__(self) -> None:
        self._of: dict[int, dict[str, Any]] = {}

    def add(self, rows: Iterable[MethodRow], definitions: ChunkDefinitions) -> None:
        """Adds the rows of one chunk."""
        for row in rows:
            known = self._of.setdefault(row.op_id, {})
            for key, text in (("algorithm", row.algorithm), ("protocol", row.protocol)):
                name = definitions.text(text)
                if name is not None:
                    known[key] = name if known.get(key, name) == name else SEVERAL
            if row.channels:
                known["channels"] = max(row.channels, known.get("channels", 0))

    def of(self, op_id: int) -> dict[str, Any]:
        """Removes and returns the known fields of an operation, by name."""
        return self._of.pop(op_id, {})
