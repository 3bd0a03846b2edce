"""The checks of scripts/ fail on a planted violation, and only then."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

GOOD_PROTO = """\
syntax = "proto3";
package traced.v1;
option optimize_for = LITE_RUNTIME;

// Thing is a thing.
//
// Next id: 4.
message Thing {
  reserved 3;
  reserved "old";
  optional uint32 id = 1;
  map<string, string> labels = 2;
}

// Next id: 2.
enum Kind {
  KIND_UNSPECIFIED = 0;
  KIND_ONE = 1;
}
"""


def run(script: str, root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / script, root],
        capture_output=True,
        text=True,
        check=False,
    )


def check_layers(root: Path, file: str, text: str) -> subprocess.CompletedProcess[str]:
    path = root / "backend" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return run("check_layers", root)


def check_imports(root: Path, file: str, text: str) -> subprocess.CompletedProcess[str]:
    path = root / "python" / "traced" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")
    return run("check_layers", root)


def check_protos(root: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = root / "proto" / "traced" / "v1" / "thing.proto"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return run("check_protos", root)


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("base/a.h", "<vector>"),
        ("trace_io/a.cc", '"traced/v1/trace.pb.h"'),
        ("trace_io/a.cc", "<google/protobuf/io/coded_stream.h>"),
        ("trace_io/a.cc", '"xxhash.h"'),
        ("recorder/a.h", '"trace_io/chunk.h"'),
        ("c10d/a.h", "<torch/csrc/distributed/c10d/Backend.hpp>"),
        ("c10d/a.h", '"recorder/recorder.h"'),
        ("analysis/a.h", '"absl/status/status.h"'),
        ("cli/report/report.cc", '"analysis/match/match.h"'),
        ("recorder/recorder.h", '"ring_io/ring/ring.h"'),
        ("ring_io/sinks/a.h", '"ring_io/ring/ring.h"'),
        ("analysis/diagnosis/messages/a.h", '"analysis/diagnosis/job_state/a.h"'),
        ("analysis/diagnosis/a.h", '"analysis/diagnosis/messages/a.h"'),
    ],
)
def test_layers_accept(tmp_path: Path, file: str, include: str) -> None:
    result = check_layers(tmp_path, file, f"#include {include}\n")
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("base/a.h", '"recorder/recorder.h"'),
        ("base/a.h", '"traced/v1/trace.pb.h"'),
        ("trace_io/a.h", '"analysis/match/match.h"'),
        ("recorder/a.h", "<ATen/ATen.h>"),
        ("recorder/a.h", "<Python.h>"),
        ("recorder/a.h", '"absl/strings/str_cat.h"'),
        ("c10d/a.h", '"trace_io/chunk.h"'),
        ("c10d/a.h", "<google/protobuf/message_lite.h>"),
        ("analysis/a.h", '"recorder/recorder.h"'),
        ("cli/a.cc", '"c10d/module/module.h"'),
        ("cli/a.cc", '"a.cc"'),
        ("plugin/a.cc", "<vector>"),
        ("ring_io/ring/a.h", '"recorder/recorder.h"'),
        ("ring_io/ring/a.h", '"ring_io/sinks/sink.h"'),
        ("ring_io/rings/a.h", '"ring_io/ring/ring.h"'),
        ("analysis/job/a.h", '"analysis/diagnosis/job_state/a.h"'),
        ("analysis/diagnosis/job_state/a.h", '"analysis/diagnosis/messages/a.h"'),
        ("analysis/diagnosis/messages/a.h", '"analysis/diagnosis/diagnosis.h"'),
    ],
)
def test_layers_refuse(tmp_path: Path, file: str, include: str) -> None:
    result = check_layers(tmp_path, file, f"// A comment.\n  # include {include}\n")
    assert result.returncode == 1
    assert result.stdout.startswith(f"backend/{file}:")
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("file", "line", "accepted"),
    [
        ("analysis/diagnosis/rules.cc", 'say("rank ", rank, " waits for it");', False),
        ("analysis/diagnosis/rules.cc", '// What "a rule says of it" is a fact.', True),
        ("analysis/diagnosis/rules.cc", 'return "all_reduce on";', True),
        ("analysis/compare/judge.cc", 'say("rank ", rank, " waits for it");', False),
        ("analysis/figures/a.cc", 'return Error{\n  "no range of steps"};', True),
        ("analysis/figures/a.cc", 'Error{};\nsay("no range of steps");', False),
        ("analysis/reading/a.cc", 'warn("left out: it does not answer");', True),
        ("phrasing/words.cc", 'say("rank ", rank, " waits for it");', True),
    ],
)
def test_rules_have_no_sentences(tmp_path: Path, file: str, line: str, accepted: bool) -> None:
    result = check_layers(tmp_path, file, f"{line}\n")
    assert (result.returncode == 0) is accepted
    assert ("a sentence" in result.stdout) is not accepted


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("_torch/a.py", "from traced._support.log import log"),
        ("_calls/a.py", "from traced import recording"),
        ("__init__.py", "from traced._calls.a import a"),
        ("_support/a.py", "import json"),
    ],
)
def test_layers_accept_imports(tmp_path: Path, file: str, line: str) -> None:
    result = check_imports(tmp_path, file, line)
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("_support/a.py", "from traced._torch.a import a"),
        ("_support/a.py", "def f():\n    from traced import _torch, _support"),
        ("_torch/a.py", "from traced import recording"),
        ("_torch/a.py", "import traced._calls.a"),
        ("reader/a.py", "from traced import __main__"),
        ("other/a.py", ""),
    ],
)
def test_layers_refuse_imports(tmp_path: Path, file: str, line: str) -> None:
    result = check_imports(tmp_path, file, line)
    assert result.returncode == 1
    assert result.stdout.startswith(f"python/traced/{file}:")
    assert len(result.stdout.splitlines()) == 1


def test_protos_accept(tmp_path: Path) -> None:
    result = check_protos(tmp_path, GOOD_PROTO)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('syntax = "proto3"', 'syntax = "proto2"', "is not proto3"),
        ("option optimize_for = LITE_RUNTIME;", "", "LITE_RUNTIME"),
        (
            "// Thing is a thing.\n//\n// Next id: 4.\n",
            "",
            "message Thing: has no comment",
        ),
        ("Next id: 4", "Next id: 3", "the next id is 4"),
        ("Next id: 2", "Next id: 1", "the next id is 2"),
        ("  optional uint32 id = 1;", "  message In {}", "message In: has no comment"),
        ("KIND_UNSPECIFIED", "KIND_NONE", "KIND_NONE does not end in _UNSPECIFIED"),
    ],
)
def test_protos_refuse(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD_PROTO
    result = check_protos(tmp_path, GOOD_PROTO.replace(old, new))
    assert result.returncode == 1
    assert message in result.stdout


@pytest.mark.parametrize("field", ["uint32 other = 3;", "uint32 old = 7;", "uint32 other = 1;"])
def test_protos_refuse_a_number_or_name_again(tmp_path: Path, field: str) -> None:
    result = check_protos(
        tmp_path, GOOD_PROTO.replace("  reserved 3;", f"  reserved 3;\n  {field}")
    )
    assert result.returncode == 1
    assert "thing.proto" in result.stderr


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("std::uint64_t count;", "<cstdint>"),
        ("#include <cstdint>\nstd::uint64_t count;", ""),
        ('#include "base/own.h"\nstd::uint64_t count;', ""),
        ('#include "base/own.h"\nstd::mutex lock; std::uint64_t count;', "<mutex>"),
        ("// std::uint64_t is a number.", ""),
    ],
)
def test_a_file_includes_what_it_uses_of_the_standard_library(
    tmp_path: Path, text: str, needs: str
) -> None:
    folder = tmp_path / "backend" / "base"
    folder.mkdir(parents=True)
    (folder / "own.h").write_text("#include <cstdint>\n")
    (folder / "thing.cc").write_text(f"{text}\n")
    result = run("check_includes", tmp_path)
    assert result.returncode == (1 if needs else 0), result.stderr
    assert needs in result.stderr


@pytest.mark.parametrize(("folder", "exit_code"), [("backend", 1), ("tests", 0)])
def test_a_heavy_header_in_a_new_compiler_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, exit_code: int
) -> None:
    ninja = tmp_path / "ninja"
    units = (f"{folder}/{unit}.o: #deps 1 (VALID)\n    /x/CLI/CLI.hpp\n" for unit in range(50))
    ninja.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(units) + "END\n")
    ninja.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = run("check_headers", tmp_path)
    assert (found.returncode, "50 compiler runs" in found.stdout) == (exit_code, exit_code == 1)
