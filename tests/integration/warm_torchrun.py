"""Provides a torchrun for shell commands of tests, whose ranks need not import torch.

The `torchrun` in their PATH passes its arguments on. It exits like the ranks, which the tests'
launcher forks for it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from launcher import TIMEOUT_S, Launcher
from patience import patient
from ports import reserved_port

_POLL_S = 0.05
_TIMEOUT_S = patient(300)

_CLIENT = """#!{python} -IS
import os, sys
from multiprocessing.connection import Client
settings = {{name: value for name, value in os.environ.items() if name.startswith("TRACED")}}
with Client({address!r}, "AF_UNIX") as ranks:
    ranks.send((os.getcwd(), sys.argv[1:], settings))
    code, output = ranks.recv()
sys.stdout.write(output)
sys.exit(code)
"""


class WarmTorchrun:
    """Runs shell commands with this torchrun.

    Args:
        folder: For what it needs; removed by nobody.
    """

    def __init__(self, launcher: Launcher, folder: Path) -> None:
        self._launcher = launcher
        self._folder = folder
        self._runs = 0
        folder.mkdir()
        self._address = str(folder / "ranks")
        client = folder / "torchrun"
        client.write_text(_CLIENT.format(python=sys.executable, address=self._address))
        client.chmod(0o755)

    def shell(self, commands: str, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
        """Runs commands in a folder; stops at the first failure.

        Returns:
            The exit code, and all output.
        """
        tools = f"{self._folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        output_file = self._folder / "said"
        with Listener(self._address, "AF_UNIX") as listener, output_file.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "-e", "-o", "pipefail", "-c", commands],
                cwd=folder,
                env={**os.environ, **env, "PATH": tools},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                self._serve(process, listener)
            finally:
                process.kill()
        return process.wait(), output_file.read_text()

    def _serve(self, process: subprocess.Popen[bytes], listener: Any) -> None:
        waiting: socket.socket = listener._listener._socket
        waiting.settimeout(_POLL_S)
        for _ in range(round(_TIMEOUT_S / _POLL_S)):
            if process.poll() is not None:
                return
            try:
                accepted: Connection = listener.accept()
            except TimeoutError:
                continue
            with accepted:
                accepted.send(self._run(*accepted.recv()))
        raise TimeoutError("the commands did not end")

    def _run(self, folder: str, arguments: list[str], settings: dict[str, str]) -> tuple[int, str]:
        self._runs += 1
        own = self._folder / f"run-{self._runs}"
        own.mkdir()
        option, world, script, *rest = arguments
        assert option == "--nproc-per-node", arguments
        with reserved_port() as port:
            env = settings | {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
            ranks = self._launcher.start_ranks(
                int(world), "jobs.script:run", folder, script, rest, folder=own, **env
            )
            codes = [rank.wait(TIMEOUT_S) for rank in ranks]
        return max(codes, key=abs), "".join(rank.output for rank in ranks)
