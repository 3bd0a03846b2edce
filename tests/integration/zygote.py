"""A process that imports torch once and forks every process of the tests.

Importing torch takes seconds, a fork milliseconds, and the end of a process that
has imported torch half a second: most of it in what torch tears down. So a process
whose program has returned leaves that out, unless its end is what is tested. One
whose program raises ends like any Python script. Before the fork there is no
process group, and the tracer's extension is not loaded.

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
    """What a forked process is to do.

    Attributes:
        program: "module:function", importable from this folder.
        args: For the function.
        env: Added to the environment.
        folder: Where output and result go; also the working directory.
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
        """Where stdout and stderr go."""
        return os.path.join(self.folder, f"{self.number}.output")

    @property
    def result(self) -> str:
        """Where the pickled return value goes, if it is not None."""
        return os.path.join(self.folder, f"{self.number}.result")


def serve(requests: Connection) -> Job | None:
    """Forks for each request. Returns the job in a forked process, else None at the end."""
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
    """Reaps a process that has ended. As in subprocess, a signal gives a negative number."""
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
    # Processes that are killed leave their ring behind: here it goes with the folder.
    os.environ["TRACED_RING_DIR"] = job.folder
    os.environ.update(job.env)
    os.chdir(job.folder)
    module, function = job.program.split(":")
    result = getattr(importlib.import_module(module), function)(*job.args)
    if result is not None:
        with open(job.result, "wb") as file:
            pickle.dump(result, file)


def leave() -> None:
    """Ends this process as exit() does, but for the interpreter and what was loaded before.

    What the program left behind with Python's atexit, with C's, and in static variables of
    libraries that it loaded itself is called as ever.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for its threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    # With the GIL held: what torch keeps per thread is gone first, and has Python objects.
    ctypes.PyDLL(None).exit(0)


def end_before_torch_does() -> None:
    """Has the process end before it comes to what torch registered when loaded.

    That is to finalizers of its operators, and to functions that exit() would call.
    """
    for finalizer in weakref.finalize._registry:  # type: ignore[attr-defined]
        finalizer.atexit = False
    libc = ctypes.CDLL(None)
    libc.on_exit(libc._exit, None)


def main() -> None:
    """Serves until the other end of the socket is closed."""
    # What the programs need, so that no forked process has to import it again.
    import torch._dynamo  # also what a functional collective imports when first called
    import torch.distributed
    import torch.distributed._functional_collectives
    import torch.distributed.fsdp
    import torch.distributed.tensor
    import torch.nn.parallel

    torch.set_num_threads(1)
    gc.freeze()  # or else every forked process copies all of it when it ends
    job = serve(Connection(int(sys.argv[1])))
    if job is None:
        return
    if not job.finalize:
        end_before_torch_does()
    run(job)
    if not job.finalize:
        leave()


if __name__ == "__main__":
    # Jobs are pickled by name: let them be found under the name of this file.
    sys.modules["zygote"] = sys.modules["__main__"]
    main()
