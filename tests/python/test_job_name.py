"""The default name of a job, which ranks agree on through the job's store."""

from __future__ import annotations

import os
import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d
from traced._torch import job_name

_UUID = "6e3f1a52-0b1c-4c66-9d0e-3f0a4b1d2c3e"


class _Rank:
    """Represents a rank of a job: its group and its settings."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._patch = monkeypatch
        self._folder = folder
        self.attempt = 0

    def agree(self, store: Any, **settings: str) -> str:
        self._patch.setattr(job_name, "_last", "")
        group: Any = object()
        self._patch.setattr(c10d, "_world", type("World", (), {"pg_map": {group: ("gloo", store)}}))
        made = {"TRACED_DIR": str(self._folder), **settings}
        return job_name.agree(group, made, self.attempt)


@pytest.fixture
def rank(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> _Rank:
    monkeypatch.setattr(sys, "argv", ["/home/me/train.py"])
    return _Rank(monkeypatch, tmp_path / "traces")


def _stores(kind: str, folder: Path) -> list[Any]:
    """Returns one store as two ranks see it."""
    if kind == "file":
        return [dist.FileStore(str(folder / "store"), 2) for _ in range(2)]
    if kind == "hash":
        return [dist.HashStore()] * 2
    server = dist.TCPStore("127.0.0.1", 0, 2, is_master=True, wait_for_workers=False)
    return [server, dist.TCPStore("127.0.0.1", server.port, 2, is_master=False)]


@pytest.mark.parametrize("kind", ["file", "hash", "tcp"])
def test_ranks_share_a_name_of_date_time_and_script(rank: _Rank, kind: str, tmp_path: Path) -> None:
    first, second = _stores(kind, tmp_path)
    name = rank.agree(dist.PrefixStore("attempt_0", first))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_train", name)
    assert rank.agree(dist.PrefixStore("attempt_0", second)) == name
    assert [item.name for item in (tmp_path / "traces").iterdir()] == [name]


def test_jobs_of_the_same_second_have_different_names(
    rank: _Rank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_name, "_start_time", lambda: 1e9)
    names = [rank.agree(dist.HashStore()) for _ in range(3)]
    assert all(re.fullmatch(f"{names[0]}_[0-9a-f]{{4}}", name) for name in names[1:])
    assert len(set(names)) == 3


def test_a_restart_keeps_the_name_of_its_job(
    rank: _Rank, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs = []
    for job in ("a", "b"):  # started by a launcher in the same second
        (tmp_path / job / "attempt_0").mkdir(parents=True)
        os.utime(tmp_path / job / "attempt_0", (1e9, 1e9))
        error_file = tmp_path / job / "attempt_0" / "0" / "error.json"
        monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(error_file))
        rank.attempt = 0
        jobs.append(rank.agree(dist.HashStore()))
        (tmp_path / "traces" / jobs[-1]).mkdir(exist_ok=True)
        rank.attempt = 1
        assert rank.agree(dist.HashStore()) == jobs[-1]
    assert jobs[0] != jobs[1]


def test_a_rank_that_chose_and_died_does_not_stop_the_others(
    rank: _Rank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_name, "_CHOICE_S", 0.01)
    store = dist.HashStore()
    store.set("traced/job/chooser", "another")
    name = rank.agree(store)
    assert name.endswith("_train")
    assert rank.agree(store) == name


@pytest.mark.parametrize(
    "settings",
    [
        {"TRACED_JOB": "mine"},
        {"TORCHELASTIC_RUN_ID": "run-7"},
        {"TORCHELASTIC_RUN_ID": _UUID, "SLURM_JOB_ID": "77"},
    ],
)
def test_a_name_of_the_user_or_the_launcher_counts(rank: _Rank, settings: dict[str, str]) -> None:
    assert rank.agree(dist.HashStore(), **settings) == ""


@pytest.mark.parametrize("run_id", ["none", _UUID])
def test_what_a_launcher_makes_up_is_no_name(rank: _Rank, run_id: str) -> None:
    assert rank.agree(dist.HashStore(), TORCHELASTIC_RUN_ID=run_id).endswith("_train")


def test_a_folder_that_cannot_be_created_does_not_change_the_name(
    monkeypatch: pytest.MonkeyPatch, rank: _Rank, tmp_path: Path
) -> None:
    (tmp_path / "traces").write_text("a file")
    assert rank.agree(dist.HashStore()).endswith("_train")


def test_a_store_that_fails_or_hangs_gives_no_name(
    rank: _Rank, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    class Hangs:
        def compare_set(self, *_: str) -> bytes:
            release.wait()
            return b""

    monkeypatch.setattr(job_name, "_TIMEOUT_S", 0.01)
    try:
        assert rank.agree(Hangs()) == ""
    finally:
        release.set()
    assert rank.agree(object()) == ""
    assert rank.agree(None) == ""


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("train.py", "train"),
        ("/a/b/fine tune.v2.py", "fine_tune.v2"),
        ("/a/pretrain/__main__.py", "pretrain"),
        ("-c", ""),
        ("", ""),
        ("/x/ipykernel_launcher.py", ""),
        ("/x/é" + "y" * 100, "_" + "y" * 39),
    ],
)
def test_the_script_in_the_name(monkeypatch: pytest.MonkeyPatch, program: str, name: str) -> None:
    monkeypatch.setattr(sys, "argv", [program])
    assert job_name.script() == name
