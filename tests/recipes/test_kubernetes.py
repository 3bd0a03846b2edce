"""Manifests of docs/start/recipes/kubernetes.md against the schemas; its scripts on ranks."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from documented import block_with, blocks
from jobs.kept import CALLS
from launcher import Launcher, environment, launcher
from patience import patient, until
from ports import reserved_port
from recipe import report
from recipe_tools import recipe_tools
from tracectl import tracectl, tracectl_path

_PAGE = "start/recipes/kubernetes.md"
_VERSIONS = [
    version
    for version in sorted(set(kubernetes_validate.utils.all_versions()))
    if tuple(map(int, version.split(".")[:2])) >= (1, 29)
]


@pytest.fixture(scope="module", name="ranks")
def _ranks() -> Iterator[Launcher]:
    with launcher() as started:
        yield started


def _manifests() -> list[dict[str, Any]]:
    return [item for block in blocks(_PAGE, "yaml") for item in yaml.safe_load_all(block)]


def _manifest(kind: str) -> dict[str, Any]:
    (found,) = (item for item in _manifests() if item["kind"] == kind)
    return found


def _templates() -> list[dict[str, Any]]:
    """Returns the pod templates of all manifests."""
    replicas = _manifest("PyTorchJob")["spec"]["pytorchReplicaSpecs"].values()
    return [_manifest("Job")["spec"]["template"], *(item["template"] for item in replicas)]


@pytest.mark.parametrize("version", _VERSIONS)
def test_kubernetes_takes_the_manifests(version: str) -> None:
    for manifest in _manifests():
        if manifest["kind"] != "PyTorchJob":
            kubernetes_validate.validate(manifest, version, strict=True)
    for template in _templates():
        pods = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "pods"}}
        kubernetes_validate.validate(pods | {"template": template}, version, strict=True)


@pytest.mark.long
@pytest.mark.parametrize("change", [{}, {"pytorchReplicaSpec": {}}, {"nprocPerNode": 8}])
def test_the_training_operator_takes_its_manifest(change: dict[str, Any]) -> None:
    manifest = _manifest("PyTorchJob")
    manifest["spec"] |= change
    script = Path(__file__).with_name("training_operator.py")
    done = subprocess.run(
        [recipe_tools() / "python", script],
        input=json.dumps(manifest),
        capture_output=True,
        text=True,
        timeout=patient(60),
        check=False,
    )
    assert (done.returncode == 0) == (not change), done.stderr


def test_what_is_mounted_is_there() -> None:
    for template in _templates():
        spec = template["spec"]
        volumes = {volume["name"]: volume for volume in spec["volumes"]}
        assert volumes["shm"]["emptyDir"]["medium"] == "Memory"
        for container in [*spec["containers"], *spec.get("initContainers", [])]:
            mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
            assert mounts["/dev/shm"] == "shm"
            assert set(mounts.values()) <= volumes.keys()
            settings = {item["name"]: item["value"] for item in container.get("env", [])}
            assert settings.get("TRACED_DIR", "/traces") in mounts


@contextmanager
def _sidecar(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Returns the script of the container `traced`, with our folders and port."""
    (container,) = _manifest("Job")["spec"]["template"]["spec"]["initContainers"]
    script = _put(container["command"][-1], folder).replace("0.0.0.0:9464", f"127.0.0.1:{port}")
    env = environment() | {"PATH": f"{tracectl_path().parent}:/usr/bin:/bin"}
    env |= {"TRACED_RING_DIR": str(folder)}
    with subprocess.Popen(["sh", "-c", script], env=env, cwd=folder) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def _put(script: str, folder: Path) -> str:
    for name in ("/traces", "/kept", "/etc/traced"):
        script = script.replace(f"{name}/", f"{folder}{name}/")
        script = re.sub(rf"{name}(?=[ \n])", f"{folder}{name}", script)
    return script


def _metrics(port: int) -> str:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics")
    request.add_header("Authorization", "Bearer secret")
    try:
        with urllib.request.urlopen(request, timeout=patient(10)) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def test_the_sidecar_serves_and_keeps_what_killed_ranks_left(
    ranks: Launcher, tmp_path: Path
) -> None:
    (tmp_path / "etc/traced").mkdir(parents=True)
    (tmp_path / "etc/traced/token").write_text("secret\n")
    env = {"TRACED_DIR": str(tmp_path / "traces"), "TRACED_JOB": "run42"}
    env |= {"TRACED_RING_DIR": str(tmp_path)}
    (container,) = _manifest("Job")["spec"]["template"]["spec"]["containers"]
    pre_stop = container["lifecycle"]["preStop"]["exec"]["command"]
    with reserved_port() as port, _sidecar(tmp_path, port) as sidecar:
        job = ranks.start_ranks(2, "jobs.kept:is_ordered_to_end", folder=tmp_path, **env)
        line = f'traced_rank_operations_total{{job="run42",rank="1"}} {CALLS}'
        until(lambda: line in _metrics(port))
        # Unwritten records of the second process are only in its ring.
        for process, before in ((job[1], None), (job[0], pre_stop)):
            if before:
                stop = [*before[:2], _put(before[2], tmp_path)]
                subprocess.run(stop, check=True, timeout=patient(60))
            process.kill()
            process.wait()
        sidecar.send_signal(signal.SIGTERM)
        assert sidecar.wait(patient(60)) == 0
    kept = tmp_path / "kept/run42"
    counts = [(rank["rank"], rank["count"]) for rank in report(kept)["ranks"]]
    assert counts == [(0, CALLS), (1, CALLS)]
    assert "recovered" in tracectl("info", kept).output
    assert list(tmp_path.glob("*.ring")) == []


def _probe(folder: Path) -> list[str]:
    """Returns the command of the liveness probe, with our folder and a shorter time."""
    (container,) = _manifest("Job")["spec"]["template"]["spec"]["containers"]
    command: list[str] = container["livenessProbe"]["exec"]["command"]
    assert "--hung-after 300" in command[2]
    return [*command[:2], _put(command[2], folder).replace("--hung-after 300", "--hung-after 1.2")]


def _passes(command: list[str], folder: Path) -> bool:
    env = environment() | {"PATH": f"{tracectl_path().parent}:/usr/bin:/bin"}
    env |= {"TRACED_RING_DIR": str(folder)}
    done = subprocess.run(command, env=env, timeout=patient(60), check=False)
    return done.returncode == 0


def test_the_probe_fails_while_a_rank_of_the_pod_hangs(ranks: Launcher, tmp_path: Path) -> None:
    env = {"TRACED_DIR": str(tmp_path / "traces"), "TRACED_JOB": "run42", "TEST_CULPRIT": "1"}
    env |= {"TRACED_RING_DIR": str(tmp_path)}
    probe = _probe(tmp_path)
    assert _passes(probe, tmp_path), "before the ranks start"
    job = ranks.start_ranks(2, "jobs.followed:one_sleeps", folder=tmp_path, **env)
    until(lambda: not _passes(probe, tmp_path))
    for process in job:
        process.kill()
        process.wait()


def test_the_probe_passes_for_ranks_that_have_ended(ranks: Launcher, tmp_path: Path) -> None:
    env = {"TRACED_DIR": str(tmp_path / "traces"), "TRACED_JOB": "run42"}
    env |= {"TRACED_RING_DIR": str(tmp_path)}
    for process in ranks.start_ranks(2, "jobs.kept:rank_1_is_killed", folder=tmp_path, **env):
        process.wait()
    # torchrun starts others, which have no trace yet.
    answer = tracectl("diagnose", "--action", tmp_path / "traces/run42")
    assert answer.output.startswith("restart certain ranks=1 "), answer.output
    assert _passes(_probe(tmp_path), tmp_path)


def test_the_probe_passes_for_a_healthy_pod(ranks: Launcher, tmp_path: Path) -> None:
    env = {"TRACED_DIR": str(tmp_path / "traces"), "TRACED_JOB": "run42"}
    env |= {"TRACED_RING_DIR": str(tmp_path)}
    (process,) = ranks.start_ranks(1, "jobs.kept:is_ordered_to_end", folder=tmp_path, **env)
    until(lambda: list(tmp_path.glob("traces/run42/*.traced")) != [])
    assert _passes(_probe(tmp_path), tmp_path)
    process.kill()
    process.wait()


#: Answers like kubectl, from the traces of this host. There is no cluster.
_KUBECTL = """#!/bin/sh
case $1 in
  exec) shift 5; exec "$@" ;;
  get) echo "node-of $4" ;;
  *) echo "$*" >>{log} ;;
esac
"""


def _operate(folder: Path) -> str:
    """Runs the page's commands for broken GPUs. Returns the kubectl commands that change things."""
    log = folder / "kubectl.log"
    log.touch()
    (folder / "kubectl").write_text(_KUBECTL.format(log=log))
    (folder / "kubectl").chmod(0o755)
    script = _put(block_with(_PAGE, "sh", "cordon"), folder)
    env = environment() | {"PATH": f"{folder}:{tracectl_path().parent}:/usr/bin:/bin"}
    subprocess.run(["sh", "-c", script], env=env, timeout=patient(60), check=True)
    return log.read_text()


@pytest.mark.parametrize("program", ["loses_a_gpu", "raises"])
def test_only_a_node_with_a_broken_gpu_is_cordoned(
    ranks: Launcher, tmp_path: Path, program: str
) -> None:
    env = {"TRACED_DIR": str(tmp_path / "traces"), "TRACED_JOB": "run42"}
    with ranks.finalizing() as finalizing:
        for process in finalizing.start_ranks(2, f"jobs.raising:{program}", folder=tmp_path, **env):
            process.wait()
    host = socket.gethostname()
    pod = f"job-name=train,batch.kubernetes.io/job-completion-index={host.rpartition('-')[2]}"
    expected = f"cordon node-of {pod}\ndelete pod -l {pod}\n"
    assert _operate(tmp_path) == (expected if program == "loses_a_gpu" else "")
