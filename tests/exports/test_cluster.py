"""`python -m traced.cluster`: any engine, any number of workers, and files that go wrong."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import made_up_job as made
import pytest
import traced
from export_tools import tables_python
from faulty_job import Fault, training
from tracectl import tracectl
from traced.cluster import files

pytestmark = pytest.mark.any_torch

WORLD = 8
# Where engines find the package.
PACKAGE: list[Path] = []


class Answer(NamedTuple):
    exit_code: int
    out: str
    words: str


@pytest.fixture(scope="module", name="run")
def _run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which each two ranks have a folder, as those of a node."""
    folder = tmp_path_factory.mktemp("cluster") / "run"
    flat = made.write(folder.with_name("flat"), training(WORLD, 30, Fault(late=5)))
    for number, path in enumerate(sorted(flat.iterdir())):
        node = folder / f"node-{number // 2}"
        node.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, node / path.name)
    return folder


def ask(
    verb: str, *arguments: object, engine: str = "local", prepend: Path | None = None
) -> Answer:
    """What the package says; `prepend` has programs that are found first."""
    python: Path | str = sys.executable if engine == "local" else tables_python()
    programs = [str(Path(sys.executable).parent), os.environ["PATH"]]
    if prepend is not None:
        programs.insert(0, str(prepend))
    environment = os.environ | {"PATH": os.pathsep.join(programs)}
    if engine != "local":
        # Engines have an interpreter of their own, without torch.
        environment["PYTHONPATH"] = str(PACKAGE[-1])
        environment["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    command = [python, "-m", "traced.cluster", verb, "--engine", engine, *arguments]
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, env=environment, check=False
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module", autouse=True)
def _package_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder that has the package and nothing else of the environment of the tests."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "traced").symlink_to(Path(traced.__file__).parent)
    PACKAGE.append(folder)


def expected(run: Path, folder: Path, *options: str) -> str:
    """The report of digests that tracectl made of each node and put together."""
    nodes = []
    for node in sorted(run.iterdir()):
        nodes.append(folder / f"{node.name}.digest")
        assert tracectl("digest", node, *options, "-o", nodes[-1]).exit_code == 0
    digest = folder / "all" / run.name
    digest.parent.mkdir()
    assert tracectl("digest", *nodes, "-o", digest).exit_code == 0
    answer = subprocess.run(
        [Path(sys.executable).with_name("tracectl"), "report", digest.name],
        cwd=digest.parent,
        capture_output=True,
        check=True,
    )
    return answer.stdout.decode()


SLOW = [pytest.mark.export_tools, pytest.mark.long]
ENGINES = [
    "local",
    pytest.param("spark", marks=pytest.mark.export_tools),
    pytest.param("ray", marks=SLOW),
]


def _skip_without_java(engine: str) -> None:
    if engine == "spark" and not shutil.which("java"):
        pytest.skip("Spark needs a Java, and there is none: scripts/export_tools installs one")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "workers", [2, pytest.param(1, marks=pytest.mark.long), pytest.param(8, marks=pytest.mark.long)]
)
def test_answers_do_not_depend_on_the_engine(
    run: Path, tmp_path: Path, engine: str, workers: int
) -> None:
    _skip_without_java(engine)
    sums = ("--latest", "0")
    answer = ask("report", run, "--workers", workers, *sums, engine=engine)
    assert answer.exit_code == 0, answer.words
    assert answer.out == expected(run, tmp_path, *sums)
    assert "4 digests that were made apart" in answer.words


@pytest.mark.parametrize(
    "engine",
    ["local", *(pytest.param(name, marks=SLOW) for name in ("spark", "ray"))],
)
def test_files_that_cannot_be_read_are_told_of(run: Path, tmp_path: Path, engine: str) -> None:
    _skip_without_java(engine)
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    (copy / "node-1" / "notes.txt").write_text("no trace")
    bad = copy / "node-9" / "rank-9.traced"
    bad.parent.mkdir()
    bad.write_text("nor is this")
    # Found, and gone when somebody looks into it.
    (copy / "node-8").mkdir()
    (copy / "node-8" / "gone.traced").symlink_to(tmp_path / "nowhere")
    answer = ask("report", copy, tmp_path / "missing", engine=engine)
    assert answer.exit_code == 0, answer.words
    for words in (
        "missing: No such file",
        "notes.txt: not a trace",
        "rank-9.traced: not a trace",
        "gone.traced: ",
    ):
        assert words in answer.words
    assert answer.out == expected(run, tmp_path)


def test_nothing_readable_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no trace")
    answer = ask("report", tmp_path)
    assert answer.exit_code == 3
    assert "nothing readable in 1 files below" in answer.words
    assert answer.out == ""


def test_what_tracectl_still_writes_is_passed_over(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    whole = next((copy / "node-1").iterdir())
    half = whole.with_name("node-0001.traced.0123456789abcdef.tmp")
    half.write_bytes(whole.read_bytes()[:-7])
    answer = ask("report", copy)
    assert (answer.exit_code, answer.out) == (0, expected(run, tmp_path))
    assert half.name not in answer.words
    assert "unusable" not in answer.words
    # Who names it wants it.
    assert "could not be used" in ask("report", half).words


def test_other_file_systems_are_read(run: Path, tmp_path: Path) -> None:
    answer = ask("report", f"file://{run}")
    assert answer.exit_code == 0, answer.words
    assert answer.out == expected(run, tmp_path)


_NAMES = ["a b", "x%41y", "h#1", "q?x=1", "ü日", "n\nl", "-rf", "a+b"]


@pytest.mark.parametrize("library", ["pyarrow", "fsspec"])
def test_any_name_of_a_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    if library == "fsspec":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in _NAMES:
        file = tmp_path / "run" / name / f"{name}.traced"
        file.parent.mkdir(parents=True)
        file.write_text(name)
    found, warnings = files.folders(
        [(tmp_path / "run").as_uri(), (tmp_path / "run" / "h#1").as_uri()]
    )
    assert warnings == []
    assert len(found) == len(_NAMES)
    (tmp_path / "copies").mkdir()
    read = []
    for folder in found:
        paths, warnings = files.fetched(folder.files, tmp_path / "copies")
        assert warnings == []
        read += [(tmp_path / "copies" / path).read_text() for path in paths]
    assert sorted(read) == sorted(_NAMES)


@pytest.mark.parametrize(
    ("uri", "root", "found"),
    [
        ("s3://bucket/run?region=eu", "bucket/run", "s3://bucket/run/x%2541?region=eu"),
        ("abfs://box@host/run/", "box/run/", "abfs://box@host/run/x%2541"),
        ("hdfs://host:8020/", "/", "hdfs://host:8020/x%2541"),
    ],
)
def test_what_is_found_has_the_host_and_options_of_its_folder(
    uri: str, root: str, found: str
) -> None:
    assert files._entry_uri(uri, root, f"{root.rstrip('/')}/x%41", True) == found


def test_a_digest_is_written_through_no_link(run: Path, tmp_path: Path) -> None:
    link = tmp_path / "out.digest"
    link.symlink_to(tmp_path / "elsewhere")
    refused = ask("digest", run, "-o", link)
    assert (refused.exit_code, refused.words) == (2, f"traced: {link}: exists\n")
    assert not (tmp_path / "elsewhere").exists()
    refused = ask("digest", run, "-o", tmp_path / "none" / "out.digest")
    assert refused.exit_code == 4
    assert refused.words.endswith("out.digest: No such file or directory\n")


@pytest.mark.parametrize("name", ["--help", "sub/..", "h#1"])
def test_a_run_may_have_any_name(run: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "named" / name.partition("/")[0]
    shutil.copytree(run, copy)
    answer = ask("report", tmp_path / "named" / name)
    assert answer.exit_code == 0, answer.words
    title = "named" if name == "sub/.." else name
    assert answer.out.startswith(f"{title} (")


def test_folders_may_be_cut_and_the_digest_kept(run: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / run.name
    kept.parent.mkdir()
    cut = ask("digest", run, "--files-per-task", 1, "-o", kept)
    assert cut.exit_code == 0, cut.words
    whole = ask("report", run, "--files-per-task", 1)
    told = tracectl("report", kept).output
    # Small runs stay whole. Their titles differ.
    assert told.split("\n\n")[1:] == whole.out.split("\n\n")[1:]


def test_options_are_tracectls_own(run: Path) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    sort = random.Random(seed).choice(["calls", "bytes", "name"])
    answer = ask("report", run, "--", "--by", "op", "--sort", sort)
    assert answer.exit_code == 0, answer.words
    assert "  dtype" not in answer.out
    refused = ask("report", run, "--", "--by", "nonsense")
    assert refused.exit_code == 2


def test_an_engine_that_is_not_there_is_named(run: Path) -> None:
    command = "import sys; sys.modules['pyspark'] = None; import traced.cluster.__main__ as c; "
    command += f"sys.exit(c.main(['report', '--engine', 'spark', {str(run)!r}]))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"the engine spark is not installed: pip install 'traced[spark]'" in done.stderr


KILLER = """#!/bin/sh
# Kills the first worker that asks for a digest, once.
if mkdir {once} 2>/dev/null; then kill -9 $PPID; exit 1; fi
exec {tracectl} "$@"
"""


@pytest.mark.export_tools
@pytest.mark.long
@pytest.mark.parametrize("engine", ["spark", "ray"])
def test_a_worker_that_is_killed_changes_nothing(run: Path, tmp_path: Path, engine: str) -> None:
    _skip_without_java(engine)
    programs = tmp_path / "programs"
    programs.mkdir()
    killer = programs / "tracectl"
    once = tmp_path / "killed"
    own = Path(sys.executable).with_name("tracectl")
    killer.write_text(KILLER.format(once=once, tracectl=own))
    killer.chmod(0o755)
    answer = ask("report", run, "--workers", 2, engine=engine, prepend=programs)
    assert once.exists()
    assert answer.exit_code == 0, answer.words
    assert answer.out == expected(run, tmp_path)
