"""tracectl serve, scraped by a real Prometheus: the rules and the dashboard of the docs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from launcher import Launcher
from patience import until
from ports import reserved_port
from prometheus import RULES, arguments
from serving import serving

pytestmark = [pytest.mark.any_torch, pytest.mark.export_tools]

_DOCS = Path(__file__).parents[2] / "docs"


@contextmanager
def _running(*command: str) -> Iterator[None]:
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


@contextmanager
def _prometheus(folder: Path, target: int) -> Iterator[Callable[[str], Any]]:
    """Runs a Prometheus that scrapes; yields a query function."""
    if shutil.which("prometheus") is None:
        pytest.skip("there is no prometheus, which scripts/export_tools installs")
    subprocess.run(["promtool", "check", "rules", RULES], check=True)

    def ask(path: str) -> Any:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}") as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    with (
        reserved_port() as port,
        _running(
            "prometheus",
            *arguments(folder, f"127.0.0.1:{port}", [f"127.0.0.1:{target}"], "200ms"),
        ),
    ):
        yield ask


def _query(text: str) -> str:
    return f"query?query={urllib.parse.quote(text)}"


def _expressions() -> list[str]:
    """Returns the expressions of the dashboard, and of the questions in the docs."""
    dashboard = json.loads((_DOCS / "use" / "grafana.json").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    shown = [text.replace("$job", ".*").replace("$__rate_interval", "1m") for text in shown]
    text = (_DOCS / "use" / "serve.md").read_text()
    asked = re.findall(r"^\| [^|`]+ \| `((?:[a-z_]+ ?(?:by )?\(|traced_)[^`]*)` \|$", text, re.M)
    assert len(asked) > 4
    return [*shown, *asked]


def test_rules_and_dashboards_use_existing_metrics(launcher: Launcher, tmp_path: Path) -> None:
    ranks = launcher.start_ranks(
        4, "jobs.served:diverges", "swapped", folder=tmp_path, TRACED_JOB="scraped"
    )
    try:
        with serving(tmp_path) as serve, _prometheus(tmp_path, serve.port) as ask:
            alerts = until(lambda: (ask("alerts") or {}).get("alerts"))
            assert {alert["labels"]["alertname"] for alert in alerts} == {"RanksDiverged"}
            assert alerts[0]["labels"]["job"] == "scraped"
            assert "default_pg" in alerts[0]["annotations"]["summary"]
            until(lambda: len(list(tmp_path.glob("held.*"))) == 4)
            # This job has no steps, and none of its operations has ended.
            absent = {"traced_rank_step_seconds", "nccl_bus_bandwidth_gbs"}
            for expression in _expressions():
                names = set(re.findall(r"\b(?:traced|nccl)_\w+", expression))
                until(
                    lambda names=names: names - set(ask("label/__name__/values")) <= absent,
                    expression,
                )
                assert ask(_query(expression)) is not None, expression

            def up() -> list[str]:
                samples = ask(_query("sum(traced_rank_up)"))["result"]
                return [sample["value"][1] for sample in samples]

            until(lambda: up() == ["4"])
    finally:
        (tmp_path / "released").touch()
        for rank in ranks:
            rank.wait()
