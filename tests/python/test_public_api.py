"""The public API as users find it: its names, help, docstrings, types and error messages."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pydoc
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import traced

_REPOSITORY = Path(__file__).parents[2]

# A user's file. It has no import of pandas, which has no types of its own.
_PROGRAM = """
from collections.abc import Mapping
from pathlib import Path

import traced


def rows(folder: Path) -> int:
    tables = traced.load(folder)
    late = tables.waits[tables.waits["op"] == "all_reduce"]
    return len(tables.operations) + len(late) + len(tables.warnings)


def arrow_rows(folder: str) -> int:
    return int(traced.load(folder, kind="arrow").matches.num_rows)


def first_operation(folder: str) -> str:
    trace: traced.reader.Trace = traced.read(folder)
    return trace.streams[0].operations[0].op


def slow(report: Mapping[str, str | int | float]) -> None:
    print(report["op"])


@traced.annotate("validation")
def validate(count: int) -> int:
    return count


traced.configure(dir="traces", job="run42", labels={"site": "fi"}, ring_mb=8)
traced.watch(60, slow)
with traced.CommCounts() as counts, traced.annotate("warm-up"):
    step: int = traced.step()
    total: int = validate(2)
print(counts.table(), traced.metrics(), traced.snapshot()["rank"])
"""


def _reference() -> Any:
    path = _REPOSITORY / "scripts" / "python_reference.py"
    spec = importlib.util.spec_from_file_location("python_reference", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_ENTRIES = list(_reference().entries())


def _run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def test_dir_lists_the_public_names_and_each_exists() -> None:
    assert dir(traced) == sorted(traced.__all__)
    assert all(getattr(traced, name) is not None for name in traced.__all__)
    assert {"load", "read", "Tables"} <= set(dir(traced))


def test_help_describes_every_public_name() -> None:
    text = pydoc.plain(pydoc.render_doc(traced))
    description = inspect.getdoc(traced) or ""
    for name in set(traced.__all__) - {"__version__"}:
        assert name in description
        assert name in text.split("DESCRIPTION")[1].split("CLASSES")[1]


def test_the_import_loads_nothing_large(tmp_path: Path) -> None:
    large = "torch", "numpy", "pandas", "google.protobuf", "zstandard"
    program = f"import sys, traced; dir(traced); print([n for n in {large} if n in sys.modules])"
    assert _run("-c", program, folder=tmp_path).stdout == "[]\n"


def test_a_users_file_passes_strict_mypy(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM)
    cache = tmp_path / "cache"
    done = _run("-m", "mypy", "--strict", f"--cache-dir={cache}", "program.py", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_refuses_a_table_that_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text('import traced\ntraced.load("t").operation\n')
    done = _run("-m", "mypy", "--strict", f"--cache-dir={tmp_path}", "program.py", folder=tmp_path)
    assert '"operation"; maybe "operations"?' in done.stdout


def test_the_reference_page_has_all_names(tmp_path: Path) -> None:
    output = tmp_path / "reference.md"
    script = str(_REPOSITORY / "scripts" / "python_reference.py")
    assert _run(script, str(output), folder=tmp_path).returncode == 0
    page = output.read_text()
    for entry in _ENTRIES:
        assert f"# {entry.name}\n" in page
    assert "\n::" not in page
    assert ":func:" not in page


@pytest.mark.parametrize("entry", _ENTRIES, ids=[entry.name for entry in _ENTRIES])
def test_a_public_name_has_a_complete_docstring(entry: Any) -> None:
    summary = entry.text.splitlines()[0] if entry.text else ""
    assert summary.endswith((".", ",")), f"{entry.name}: {summary!r}"
    if entry.signature == entry.name:  # not called by users, or without parameters
        return
    arguments = entry.section("Args")
    short = len(entry.parameters) == 1 and not arguments and entry.name.startswith("traced.reader.")
    for parameter in entry.parameters:
        assert short or f"{parameter}: " in arguments, f"{entry.name}: {parameter}"
        if parameter in ("deadline", "seconds"):
            assert "econds" in arguments or "operation may take" in arguments
        if parameter.endswith("_bytes"):
            assert "bytes" in arguments
    if inspect.isfunction(entry.value) and _raises(entry.value):
        assert entry.section("Raises"), f"{entry.name} raises, but has no section Raises"
    if inspect.isfunction(entry.value) and len(entry.parameters) > 1:
        assert "-> None" in entry.signature or _names_the_result(entry)


def _raises(function: Callable[..., Any]) -> bool:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


def _names_the_result(entry: Any) -> bool:
    return bool(entry.section("Returns")) or "eturns" in entry.text


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: traced.load("nope"), traced.TracedError, "traced.load: nope does not exist; "),
        (lambda: traced.load(), traced.TracedError, "traced.load: no path is given; "),
        (lambda: traced.load(3), TypeError, "traced.load: a path must be a str or a Path, not int"),
        (lambda: traced.load(None), TypeError, "traced.load: a path must be .*, not None"),
        (lambda: traced.load(".", kind="polars"), ValueError, 'kind must be "pandas" or "arrow"'),
        (lambda: traced.read("nope"), traced.TracedError, "traced.read: nope does not exist; "),
        (lambda: traced.read(b"x"), TypeError, "traced.read: a path must be .*, not bytes"),
        (lambda: traced.configure(foo=1), ValueError, "configure: foo is not a setting; known set"),
        (lambda: traced.configure(stack="off"), ValueError, "stack is not a .* mean .*stacks"),
        (lambda: traced.configure(TRACED_DIR="x"), ValueError, "TRACED_DIR .* did you mean dir"),
        (lambda: traced.configure(ring_mb=0), ValueError, "configure: ring_mb=0 is not valid: exp"),
        (lambda: traced.configure(ring_mb=[1]), ValueError, r"ring_mb=\[1\] is not valid: exp"),
        (lambda: traced.configure(stacks="x"), ValueError, "configure: stacks=x is not valid: exp"),
        (lambda: traced.flush("soon"), TypeError, "traced.flush: deadline must be a number of sec"),
        (lambda: traced.snapshot(deadline=None), TypeError, "traced.snapshot: deadline must be a"),
        (lambda: traced.watch(-1), ValueError, "traced.watch: seconds=-1 is not valid: expected"),
        (lambda: traced.watch("1"), TypeError, "traced.watch: seconds must be a number of seconds"),
        (lambda: traced.watch(1, "f"), TypeError, "traced.watch: callback must be a function, not"),
        (lambda: traced.add_sink("f"), TypeError, "traced.add_sink: deliver must be a function"),
        (lambda: traced.add_sink(print, max_bytes="1"), TypeError, "add_sink: max_bytes must be"),
        (lambda: traced.annotate(1), TypeError, "traced.annotate: name must be a str, not int"),
        (lambda: traced.track_modules(1), TypeError, "track_modules: model must be a Module"),
        (lambda: traced.CommCounts(1), TypeError, "traced.CommCounts: model must be a Module"),
        (lambda: traced.CommCounts().table(), traced.TracedError, "traced.CommCounts: nothing was"),
        (lambda: traced.export_csv(1), TypeError, "traced.export_csv: a path must be a str or a P"),
        (lambda: traced.export_csv("x"), traced.TracedError, "export_csv: this process does not r"),
        (lambda: traced.inner_backend(), RuntimeError, "call init_process_group first"),
        (lambda: traced.inner_backend(1), TypeError, "group must be a ProcessGroup, not int"),
        (lambda: traced.reader.parse("x"), TypeError, "traced.reader.parse: data must be bytes"),
    ],
)
def test_a_wrong_call_names_the_function_and_the_argument(
    call: Callable[[], object],
    error: type[Exception],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=sentence) as raised:
        call()
    assert str(raised.value).startswith("traced.")
    assert "\n" not in str(raised.value)


def test_configure_accepts_plain_python_values() -> None:
    made = {"stacks": True, "ring_mb": 8.0, "dir": Path("traces"), "labels": {"a": 1}}
    try:
        traced.configure(**made)
    finally:
        traced.configure(**dict.fromkeys(made))
