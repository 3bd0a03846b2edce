"""How the communication library carried operations out (docs/reference/format.md, "Rows")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from traced.reader.definitions import ChunkDefinitions
from traced.reader.rows import MethodRow

#: What stands for a name where an operation was carried out in several ways.
SEVERAL = "several"


class Methods:
    """Takes the rows of one stream in order."""

    def __init__(self) -> None:
        self._of: dict[int, dict[str, Any]] = {}

    def add(self, rows: Iterable[MethodRow], definitions: ChunkDefinitions) -> None:
        """Takes the rows of one chunk."""
        for row in rows:
            known = self._of.setdefault(row.op_id, {})
            for key, text in (("algorithm", row.algorithm), ("protocol", row.protocol)):
                name = definitions.text(text)
                if name is not None:
                    known[key] = name if known.get(key, name) == name else SEVERAL
            if row.channels:
                known["channels"] = max(row.channels, known.get("channels", 0))

    def of(self, op_id: int) -> dict[str, Any]:
        """Returns what is known of an operation, by the names of its fields; forgets it."""
        return self._of.pop(op_id, {})
