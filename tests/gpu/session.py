"""Runs checks one after the other, or side by side, within a time budget."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_LEAST_S = 20.0  # no check starts with less time left


class NotHereError(Exception):
    """Raised when a simulation lacks what a check needs; the message names it."""


class Session:
    """Runs checks, prints how each went, and keeps the results in a file as they arrive."""

    def __init__(self, result: Path, facts: dict[str, Any], seconds: float) -> None:
        """Args:
        result: The JSON file; rewritten after every check.
        facts: Further entries of the file.
        seconds: Time budget; no check starts near its end.
        """
        self._result = result
        self._until = time.monotonic() + seconds
        self._lock = threading.Lock()
        self.facts = facts | {"complete": False, "checks": []}
        result.parent.mkdir(parents=True, exist_ok=True)
        self.save()

    def left_s(self) -> float:
        return self._until - time.monotonic()

    def check(self, name: str, action: Callable[[], str], **details: Any) -> None:
        """Runs a check, which returns the problem or ""."""
        if self.left_s() < _LEAST_S:
            self._note({"name": name, "wrong": "", "skipped": "no time was left", **details})
            return
        started = time.monotonic()
        try:
            wrong = action()
        except NotHereError as what:
            self._note({"name": name, "wrong": "", "skipped": f"it needs {what}", **details})
            return
        except Exception as error:  # a check that raises counts as failed; the others run
            wrong = repr(error)
        seconds = round(time.monotonic() - started, 1)
        self._note({"name": name, "wrong": wrong, "seconds": seconds, **details})

    def side_by_side(self, checks: Mapping[str, Callable[[], str]], at_once: int) -> None:
        """Runs independent checks, at most `at_once` at a time."""
        with ThreadPoolExecutor(at_once) as pool:
            for _ in pool.map(lambda item: self.check(*item), checks.items()):
                pass

    def measure(self, name: str, action: Callable[[], tuple[Any, str]]) -> None:
        """Takes measurements, prints their table and keeps them under `name`."""

        def take() -> str:
            self.facts[name], table = action()
            print(table, flush=True)
            return ""

        self.check(f"figures: {name}", take)

    def save(self) -> None:
        new = self._result.with_suffix(".new")
        new.write_text(json.dumps(self.facts, indent=1) + "\n")
        new.replace(self._result)

    def finish(self) -> bool:
        """Returns whether all checks passed; prints the skipped ones."""
        self.facts["complete"] = True
        self.save()
        rows = self.facts["checks"]
        wrong = sum(bool(row["wrong"]) for row in rows)
        skipped = sum("skipped" in row for row in rows)
        print(f"{len(rows)} checks: {wrong} failed, {skipped} not run", flush=True)
        return wrong == 0

    def _note(self, row: dict[str, Any]) -> None:
        with self._lock:
            self.facts["checks"].append(row)
            self.save()
            status = "skip" if "skipped" in row else "FAIL" if row["wrong"] else "ok  "
            print(f"{status} {row['name']:40} {row.get('seconds', 0):6.1f} s", end="", flush=True)
            print(f"  {row['skipped']}" if "skipped" in row else "", flush=True)
            if row["wrong"]:
                print(row["wrong"], file=sys.stderr, flush=True)
