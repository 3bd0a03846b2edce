"""tracectl given input that is no trace, or hostile: one clear message, and no file changed."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from framing import framed, framed_anew
from launcher import Launcher
from patience import patient
from tracectl import Answer, tracectl, tracectl_path
from traced.reader.chunks import SYNC
from traced.reader.payload import decode
from traced.reader.wire import trace_pb2, zstandard

pytestmark = pytest.mark.any_torch

_PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + bytes(200)
# A line break, "clear the screen" as ESC and as U+009B, invalid UTF-8, and characters that reverse
# the writing direction, break a line or are invisible.
_HOSTILE_NAME = b"a\nb\x1b[2J\xc2\x9b2J\x7f\xff" + "\u202ec\u2028d\ufeff".encode()

_VERBS = (
    ["info"],
    ["info", "--json"],
    ["report"],
    ["show"],
    ["show", "--json"],
    ["tree"],
    ["whatif"],
    ["whatif", "--json"],
    ["diagnose"],
    ["diagnose", "--json"],
    ["export"],
    ["export", "--format", "text"],
    ["merge", "-o", "out"],
    ["merge", "--pack", "out"],
    ["check", "--write-budget", "out"],
    ["check", "--budget", "budget.toml"],
)


@pytest.fixture(scope="module")
def recorded(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records a small job; tests must not change it."""
    folder: Path = tmp_path_factory.mktemp("recorded")
    launcher.run_ranks(4, "jobs.training:mixed", folder=folder, TRACED_JOB="job")
    return folder / "traces" / "job"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "budget.toml").write_text("[[budget]]\ncount = 1\n")


def _png(path: Path) -> None:
    path.write_bytes(_PNG)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 20)


def _false_syncs(path: Path) -> None:
    path.write_bytes((SYNC + b"\x11" + bytes(8) + b"\x1d\xff\xff\xff\x00" + bytes(8)) * 5000)


def _symlink_loop(path: Path) -> None:
    path.symlink_to(path.name)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _folder_of_all(path: Path) -> None:
    path.mkdir()
    for name, make in _INPUTS.items():
        if make is not _folder_of_all:
            make(path / name)


_INPUTS: dict[str, Callable[[Path], None]] = {
    "png": _png,
    "empty": Path.touch,
    "directory": Path.mkdir,
    "fifo": lambda path: os.mkfifo(path),
    "device": _device,
    "symlink loop": _symlink_loop,
    "sparse": _sparse,
    "false syncs": _false_syncs,
    "missing": lambda path: None,
    # The system reports 4096 bytes and returns fewer, like a file that shrinks.
    "shrinking": lambda path: path.symlink_to("/sys/kernel/mm/transparent_hugepage/enabled"),
    "folder of all": _folder_of_all,
}


def _contents(folder: Path) -> Iterator[tuple[str, int, bytes]]:
    for path in sorted(folder.rglob("*")):
        small = path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 20
        content = path.read_bytes() if small else b""
        yield str(path), path.lstat().st_mtime_ns, content


def _is_shown(c: str) -> bool:
    return c in "\r\n" or (c >= " " and not "\x7f" <= c <= "\x9f" and c not in "\u202e\u2028\ufeff")


def _check_messages(answer: Answer) -> None:
    """Asserts that the output is safe for a terminal."""
    for text in (answer.output, answer.stderr):
        assert all(map(_is_shown, text)), text
    assert "internal error" not in answer.stderr


@pytest.mark.parametrize("verb", _VERBS, ids=" ".join)
@pytest.mark.parametrize("kind", _INPUTS)
def test_what_is_no_trace_is_named_and_left_alone(
    tmp_path: Path, verb: list[str], kind: str
) -> None:
    path = tmp_path / "input"
    _INPUTS[kind](path)
    before = list(_contents(tmp_path))
    answer = tracectl(*verb, path)
    _check_messages(answer)
    assert answer.exit_code == (5 if "--budget" in verb else 3)
    sentences = answer.stderr.splitlines()
    assert len(sentences) == (2 if "--budget" in verb else 1), sentences
    assert str(path) in answer.stderr or kind == "directory"
    assert answer.output == ""
    assert list(_contents(tmp_path)) == before


@pytest.mark.parametrize("kind", _INPUTS)
def test_a_trace_beside_it_is_read_all_the_same(recorded: Path, tmp_path: Path, kind: str) -> None:
    _INPUTS[kind](tmp_path / "input")
    answer = tracectl("info", "--json", recorded, tmp_path / "input")
    assert len(answer.json()["ranks"]) == 4


@pytest.mark.parametrize("verb", _VERBS, ids=" ".join)
def test_a_name_cannot_write_to_the_terminal(
    recorded: Path, tmp_path: Path, verb: list[str]
) -> None:
    folder = Path(os.fsdecode(bytes(tmp_path) + b"/" + _HOSTILE_NAME))
    folder.mkdir()
    (folder / folder.name).write_bytes(_PNG)
    for path in recorded.iterdir():
        (folder / path.name).write_bytes(path.read_bytes()[:-3])
    _check_messages(tracectl(*verb, folder))
    _check_messages(tracectl(*verb, folder / folder.name))
    _check_messages(tracectl(*verb, folder / "missing"))
    _check_messages(tracectl(*verb, recorded, f"--{folder.name}"))


def _hostile_trace(path: Path, recorded: Path) -> None:
    """Returns a real trace in which every name is hostile."""
    name = _HOSTILE_NAME.decode(errors="ignore")
    out = b""
    trace = trace_pb2.Trace.FromString(min(recorded.iterdir()).read_bytes())
    for chunk in trace.chunk:
        payload = decode(chunk)
        for field in ("job", "host", "torch_version", "traced_version", "python_version"):
            setattr(payload.header, field, name)
        payload.header.labels[name] = name
        for group in payload.group:
            group.name = group.desc = group.backend = name
        for thread in payload.thread:
            thread.name = name
        for text in payload.text:
            text.text = name
        out += framed_anew(chunk, payload)
    path.write_bytes(out)


def _on_terminal(arguments: list[str | Path]) -> bytes:
    """Returns what tracectl writes to a terminal."""
    ours, its = pty.openpty()
    plain = os.environ | {"NO_COLOR": "1"}  # so that any colour comes from the trace
    command = [tracectl_path(), *arguments]
    with subprocess.Popen(command, stdout=its, stderr=its, env=plain) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux reports the closed other end this way
                break
            if not part:
                break
            shown += part
        assert process.wait(patient(60)) in (0, 1, 5)
    os.close(ours)
    return shown


@pytest.mark.parametrize("verb", _VERBS, ids=" ".join)
def test_a_trace_cannot_write_to_the_terminal(
    recorded: Path, tmp_path: Path, verb: list[str]
) -> None:
    path = tmp_path / "hostile.traced"
    _hostile_trace(path, recorded)
    shown = _on_terminal([*verb, path]).decode()
    assert "2J" in shown or verb[0] in (
        "merge",
        "check",
        "report",
        "tree",
        "whatif",
        "diagnose",
    )
    assert all(map(_is_shown, shown)), shown


@pytest.mark.parametrize("option", [["export", "-o"], ["merge", "-o"], ["check", "--write-budget"]])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("kind", ["full", "directory", "fifo", "symlink loop", "no folder"])
def test_an_output_that_is_no_file_is_refused(
    recorded: Path, tmp_path: Path, option: list[str], force: list[str], kind: str
) -> None:
    output = tmp_path / "output"
    if kind == "full":
        output.symlink_to("/dev/full")
    elif kind == "no folder":
        output = output / "output"
    else:
        _INPUTS[kind](output)
    before = list(_contents(tmp_path))
    answer = tracectl(*option, output, *force, recorded)
    _check_messages(answer)
    assert answer.exit_code in (2, 4)
    assert str(output) in answer.stderr
    assert list(_contents(tmp_path)) == before


def test_a_device_is_never_replaced(recorded: Path) -> None:
    before = Path("/dev/null").stat()
    for option in (["export", "-o"], ["merge", "-o"], ["check", "--write-budget"]):
        answer = tracectl(*option, "/dev/null", "--force", recorded)
        assert (answer.exit_code, "/dev/null: is not a regular file" in answer.stderr) == (4, True)
    after = Path("/dev/null").stat()
    assert (before.st_ino, before.st_rdev) == (after.st_ino, after.st_rdev)


@pytest.mark.parametrize("kind", [kind for kind in _INPUTS if kind != "empty"])
def test_a_budget_that_is_none_is_a_sentence(recorded: Path, tmp_path: Path, kind: str) -> None:
    _INPUTS[kind](tmp_path / "budget")
    answer = tracectl("check", "--budget", tmp_path / "budget", recorded)
    _check_messages(answer)
    assert (answer.exit_code, answer.output) == (2, "")
    assert len(answer.stderr.splitlines()) == 1
    assert str(tmp_path / "budget") in answer.stderr


@pytest.mark.parametrize("kind", [kind for kind in _INPUTS if kind != "missing"])
def test_what_is_no_segment_is_not_touched(tmp_path: Path, kind: str) -> None:
    rings = tmp_path / "rings"
    rings.mkdir()
    _INPUTS[kind](rings / "traced.0.1.ring")
    before = list(_contents(tmp_path))
    answer = tracectl("recover", "--ring-dir", rings)
    _check_messages(answer)
    assert answer.exit_code in (0, 3)
    assert list(_contents(tmp_path)) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
def test_what_may_not_be_read_is_named_and_the_rest_used(recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "input"
    for part in ("a", "b", "c"):
        (folder / part).mkdir(parents=True)
        for path in recorded.iterdir():
            (folder / part / path.name).write_bytes(path.read_bytes())
    (folder / "b").chmod(0)
    for path in (folder / "a").iterdir():
        path.chmod(0)
    nobody = 65534
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == 0 and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    done = subprocess.run(
        [tracectl_path(), "info", folder],
        user=nobody, group=nobody, extra_groups=[],
        capture_output=True, text=True, timeout=patient(60), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{folder}/b: cannot be listed" in done.stderr
    assert done.stderr.count("Permission denied") == 4
    assert "4 ranks" in done.stdout


def _bomb(raw: bytes, first: int = 0, slots: int = 1, stream: int = 7) -> bytes:
    """Returns a chunk with this payload, compressed as far as possible."""
    return framed(
        trace_pb2.Chunk(
            compression=trace_pb2.COMPRESSION_ZSTD,
            payload=zstandard.ZstdCompressor(level=19).compress(raw),
            payload_bytes=len(raw),
            stream_id=stream,
            first_position=first,
            end_position=first + slots,
        )
    )


def _rows(count: int, kind: str = "released") -> bytes:
    payload = trace_pb2.Payload()
    payload.header.schema = 2
    column = "position_delta" if kind == "marked" else "op_delta"
    getattr(getattr(payload, kind), column).extend([-1] * count)
    return payload.SerializeToString()


def _header() -> bytes:
    return _bomb(_rows(0), 0, 0)


_BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: _bomb(bytes(200 << 20)),
    "rows": lambda: _bomb(_rows(20 << 20)),
    "marks": lambda: _bomb(_rows(20 << 20, "marked")),
    "definitions": lambda: _bomb(b"\x2a\x00" * (1 << 20)),
    "streams": lambda: b"".join(_bomb(_rows(1 << 17), stream=i) for i in range(1, 200)),
    "chunks": lambda: b"".join(_bomb(_rows(1 << 17), i << 17, 1 << 17) for i in range(200)),
    "false syncs": lambda: (SYNC + b"\x11" + bytes(8) + b"\x1d\xff\xff\x0f\x00") * 10_000,
}


# A child that is started here inherits our own peak of memory.
_MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], capture_output=True).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


@pytest.mark.parametrize("verb", [["info"], ["show"], ["merge", "-o", "out"]], ids=" ".join)
@pytest.mark.parametrize("kind", _BOMBS)
def test_a_small_file_does_not_fill_the_memory(tmp_path: Path, verb: list[str], kind: str) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(_header() + _BOMBS[kind]())
    assert path.stat().st_size < 512 << 10
    done = subprocess.run(
        [sys.executable, "-S", "-c", _MEASURE, tracectl_path(), *verb, path],
        capture_output=True, text=True, timeout=patient(60), check=True,
    )  # fmt: skip
    exit_code, peak_bytes = map(int, done.stdout.split())
    assert exit_code == 0
    assert peak_bytes < (64 << 20) + 8 * path.stat().st_size
