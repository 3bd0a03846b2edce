"""Writes the tables that tracectl sends, as Parquet: what `tracectl export --format parquet` runs.

Standard input has a line of JSON for each thing to do, and behind some of them bytes
(python_writer.h). Nothing is in the folder that was asked for before all is written: the files are
in a folder beside it, under names that no pattern for Parquet files matches. Standard output gets
"ready" and "whole" at the end, or instead of either one sentence about what went wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

_PENDING = ".pending"


class WriteError(Exception):
    """What went wrong, in a sentence."""


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise WriteError(
            f"--format parquet takes pyarrow, which {sys.executable} does not have: "
            "`pip install pyarrow`"
        ) from None
    return pyarrow, pyarrow.parquet


class Part:
    """One file, under a name that is not its own yet."""

    def __init__(self, path: Path, columns: list[dict[str, Any]], order: list[str]) -> None:
        arrow, parquet = _arrow()
        kinds = {
            "number": arrow.int64(),
            "real": arrow.float64(),
            "flag": arrow.bool_(),
            "text": arrow.string(),
        }
        self._path = path
        self._kinds = [kinds[column["kind"]] for column in columns]
        names = [column["name"] for column in columns]
        texts = [column["name"] for column in columns if column["kind"] == "text"]
        repeating = [column["name"] for column in columns if column["repeats"]]
        varying = [
            column["name"]
            for column in columns
            if column["kind"] == "number" and not column["repeats"]
        ]
        self._schema = arrow.schema(
            [
                (name, arrow.dictionary(arrow.int32(), kind) if name in texts else kind)
                for name, kind in zip(names, self._kinds, strict=True)
            ]
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.with_name(path.name + _PENDING).open("xb")
        self._writer = parquet.ParquetWriter(
            self._file,
            self._schema,
            compression="zstd",
            compression_level=3,
            use_dictionary=texts + repeating,
            column_encoding={name: "DELTA_BINARY_PACKED" for name in varying},
            sorting_columns=[parquet.SortingColumn(names.index(name)) for name in order],
            store_schema=False,
        )

    def add(self, rows: int, columns: list[dict[str, Any]], data: bytes) -> None:
        """Adds a row group. `data` has each column's validity, if a value is absent, and values."""
        arrow, _ = _arrow()
        whole = arrow.py_buffer(data)
        at = 0

        def take(size: int) -> Any:
            nonlocal at
            at += size
            return whole.slice(at - size, size) if size else None

        arrays = []
        for kind, column in zip(self._kinds, columns, strict=True):
            valid = take(column["valid"])
            values = take(column["values"]) or arrow.py_buffer(b"")
            stored = arrow.int32() if "texts" in column else kind
            array = arrow.Array.from_buffers(stored, rows, [valid, values])
            if "texts" in column:
                texts = arrow.array(column["texts"], kind)
                array = arrow.DictionaryArray.from_arrays(array, texts)
            arrays.append(array)
        table = arrow.Table.from_arrays(arrays, schema=self._schema)
        self._writer.write_table(table, row_group_size=max(rows, 1))

    def finish(self) -> None:
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


class Export:
    """All files of a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(os.path.realpath(folder))
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        self._pending = Path(
            tempfile.mkdtemp(
                prefix=f".{self._folder.name}.", suffix=_PENDING, dir=self._folder.parent
            )
        )
        self._parts: dict[int, Part] = {}

    def run(self, source: BinaryIO) -> bool:
        """Executes the requests of `source`. Returns whether the export was completed."""
        while line := source.readline():
            if not line.endswith(b"\n"):
                return False
            asked = json.loads(line)
            if "file" in asked:
                path = self._pending / asked["file"]
                self._parts[asked["to"]] = Part(path, asked["columns"], asked["order"])
            elif "rows" in asked:
                data = source.read(asked["bytes"])
                if len(data) < asked["bytes"]:
                    return False
                self._parts[asked["to"]].add(asked["rows"], asked["columns"], data)
            elif "file_ends" in asked:
                self._parts.pop(asked["to"]).finish()
            elif "ends" in asked:
                self._put_in_place()
                return True
        return False

    def _put_in_place(self) -> None:
        for path in sorted(filter(Path.is_file, self._pending.rglob("*" + _PENDING))):
            path.rename(path.with_suffix(""))
        (self._pending / "_SUCCESS").touch()
        for folder in [self._pending, *filter(Path.is_dir, self._pending.rglob("*"))]:
            _sync(folder)
        mask = os.umask(0)
        os.umask(mask)
        self._pending.chmod(0o777 & ~mask)
        # The target can only be an empty folder, which this replaces.
        self._pending.rename(self._folder)
        _sync(self._folder.parent)

    def remove(self) -> None:
        shutil.rmtree(self._pending, ignore_errors=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # Some file systems cannot.
    finally:
        os.close(descriptor)


def _write(folder: str, source: BinaryIO) -> str:
    """Writes the export. Returns the final answer."""
    arrow, _ = _arrow()
    export = Export(folder)
    print("ready", flush=True)
    try:
        if export.run(source):
            return "whole"
        raise WriteError("the input ended early")
    except (OSError, arrow.ArrowException) as error:
        raise WriteError(f"{folder}: {getattr(error, 'strerror', None) or error}") from None
    finally:
        export.remove()


def main() -> None:
    for number in signal.SIGTERM, signal.SIGHUP:
        # Exits by an exception, so that the unfinished file is removed.
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        answer = _write(sys.argv[1], sys.stdin.buffer)
    except WriteError as error:
        answer = str(error)
    except OSError as error:
        answer = f"{sys.argv[1]}: {error.strerror}"
    except MemoryError:
        answer = f"{sys.argv[1]}: not enough memory"
    except KeyboardInterrupt:
        return
    print(answer, flush=True)


main()
