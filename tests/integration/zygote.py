"""Imports torch once and forks every process of the tests.

Importing torch takes seconds, a fork milliseconds. The end of a process with torch takes half a
second, mostly torch's tear-down. A process whose program has returned skips the tear-down, unless
its end is tested. A process whose program raises ends like any Python script. Before the fork no
process group exists, and the tracer's extension is not loaded.

    zygote.py SOCKET_FD
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import gc
import importlib
import os
import pickle
import signal
import sys
import threading
import weakref
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Job:
    """Describes the work of a forked process.

    Attributes:
        program: "module:function", importable from this folder.
        args: Arguments of the function.
        env: Added to the environment.
        folder: Folder of output and result; also the working directory.
        finalize: Whether it ends like any Python script, also once the program has returned.
    """

    number: int
    program: str
    args: tuple[Any, ...]
    env: dict[str, str]
    folder: str
    finalize: bool

    @property
    def output(self) -> str:
        """Returns the path of stdout and stderr."""
        return os.path.join(self.folder, f"{self.number}.output")

    @property
    def result(self) -> str:
        """Returns the path of the pickled return value, which exists unless it is None."""
        return os.path.join(self.folder, f"{self.number}.result")


def serve(requests: Connection) -> Job | None:
    """Forks for each request. Returns the job in a forked process, or None at the end."""
    children: dict[int, int] = {}  # pidfd -> number of the job
    while True:
        for ready in wait([requests, *children]):
            if isinstance(ready, int):
                requests.send((children.pop(ready), _exit_code(ready)))
                continue
            try:
                job: Job = requests.recv()
            except EOFError:
                return None
            pid = os.fork()
            if pid == 0:
                requests.close()
                return job
            children[os.pidfd_open(pid)] = job.number
            requests.send((job.number, pid))


def _exit_code(pidfd: int) -> int:
    """Reaps an ended process; returns its code, negative for a signal, as in subprocess."""
    ended = os.waitid(os.P_PIDFD, pidfd, os.WEXITED)
    os.close(pidfd)
    assert ended is not None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def run(job: Job) -> None:
    """Runs the program in this process."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    descriptor = os.open(job.output, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    faulthandler.enable()
    # Killed processes leave their ring behind: here it is removed with the folder.
    os.environ["TRACED_RING_DIR"] = job.folder
    os.environ.update(job.env)
    os.chdir(job.folder)
    module, function = job.program.split(":")
    result = getattr(importlib.import_module(module), function)(*job.args)
    if result is not None:
        with open(job.result, "wb") as file:
            pickle.dump(result, file)


def leave() -> None:
    """Ends this process like exit(), but without tearing down the interpreter and earlier
    libraries.

    Exit handlers of the program still run: Python's atexit, C's, and static destructors of
    libraries that it loaded itself.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for its threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    # With the GIL held: torch's per-thread data is destroyed first, and contains Python objects.
    ctypes.PyDLL(None).exit(0)


def end_before_torch_does() -> None:
    """Ends the process before the exit handlers that torch registered when loaded.

    These are finalizers of its operators, and functions that exit() would call.
    """
    for finalizer in weakref.finalize._registry:  # type: ignore[attr-defined]
        finalizer.atexit = False
    libc = ctypes.CDLL(None)
    libc.on_exit(libc._exit, None)


def main() -> None:
    """Serves until the other end of the socket is closed."""
    # Modules that the programs need, so that no forked process has to import them again.
    import torch._dynamo  # a functional collective imports it when first called
    import torch.distributed
    import torch.distributed._functional_collectives
    import torch.distributed.fsdp
    import torch.distributed.tensor
    import torch.nn.parallel

    torch.set_num_threads(1)
    gc.freeze()  # otherwise every forked process copies all of it when it ends
    job = serve(Connection(int(sys.argv[1])))
    if job is None:
        return
    if not job.finalize:
        end_before_torch_does()
    run(job)
    if not job.finalize:
        leave()


if __name__ == "__main__":
    # Jobs are pickled by name: they must be found under the name of this file.
    sys.modules["zygote"] = sys.modules["__main__"]
    main()
