"""Further destinations of what this process records."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any

from traced import recording
from traced._support.lossy import lossy
from traced._support.say import described, say

_EXIT_DEADLINE_S = 2.0
# Before recording is stopped.
_FINALIZER_PRIORITY = 1

_open: list[Sink] = []
# The process that will close them when multiprocessing ends it.
_finalizer_pid: int | None = None


class Sink:
    """A destination of chunks, made by :func:`add_sink`.

    Attributes:
        delivered: How many chunks the callable took.
        failed: How many it raised an exception for; they are not given again.
    """

    def __init__(self, deliver: Callable[[bytes], object], name: str, max_bytes: int) -> None:
        from traced._support.extension import load_extension

        self.delivered = 0
        self.failed = 0
        self._deliver = deliver
        self._name = name
        self._pid = os.getpid()
        self._queue: Any = load_extension().SinkQueue(lossy(f"the sink {name}"), max_bytes)
        self._thread = threading.Thread(target=self._run, name="traced-sink", daemon=True)
        self._thread.start()
        self._queue.open()

    @property
    def dropped(self) -> int:
        """How many chunks it did not get, because too many were waiting for it."""
        return int(self._queue.dropped_chunks)

    @property
    def dropped_records(self) -> int:
        """How many records were in them."""
        return int(self._queue.dropped_records)

    def close(self, deadline: float = 2.0) -> bool:
        """Gives it what is recorded so far, and then nothing more.

        Args:
            deadline: Seconds from now.

        Returns:
            False if it had not taken everything by then. What it takes later is still counted.
        """
        if os.getpid() != self._pid:
            return True  # a fork left its thread behind
        if self in _open:
            _open.remove(self)
        recording.flush(deadline)
        self._queue.close()
        self._thread.join(deadline)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (chunk := self._queue.take()) is not None:
            try:
                self._deliver(chunk)
            except BaseException as error:  # also SystemExit: nobody else would hear of it
                self.failed += 1
                if self.failed == 1:
                    say(
                        f"the sink {self._name} failed: {described(error)}; "
                        "it is given the next chunks, what it misses is counted"
                    )
            else:
                self.delivered += 1


def add_sink(
    deliver: Callable[[bytes], object], *, name: str | None = None, max_bytes: int = 16 << 20
) -> Sink:
    """Sends what this process records somewhere else, too, beside its file.

    The callable gets every chunk from now on, about one a second, in a thread of its own; call
    this before ``init_process_group`` to get all. Each chunk can be read alone
    (:func:`traced.reader.parse`), and what all of them are when written one after another is a
    trace file. What the callable does never holds up the job, the file or another sink: where it
    is slow, chunks wait, up to a bound, and are dropped and counted beyond it; where it raises, the
    chunk is counted as failed. Each is told once on stderr. There can be any number.

    A process that ends closes its sinks; what it records after that, while the interpreter ends, is
    in the file only. A process that is killed loses what was waiting. A forked child has no sinks.

    Args:
        deliver: Called with the bytes of one whole chunk at a time.
        name: For messages; by default that of the callable.
        max_bytes: How much may wait for it.
    """
    called = name or str(getattr(deliver, "__qualname__", repr(deliver)))
    sink = Sink(deliver, called, max_bytes)
    _open.append(sink)
    _close_when_multiprocessing_ends()
    return sink


def _close_when_multiprocessing_ends() -> None:
    # A process that multiprocessing forked runs no exit handlers, but its finalizers. One is
    # enough; that of a parent is not its child's.
    global _finalizer_pid
    from multiprocessing import parent_process, util

    if parent_process() is not None and _finalizer_pid != os.getpid():
        _finalizer_pid = os.getpid()
        util.Finalize(None, _close_all, exitpriority=_FINALIZER_PRIORITY)


def _close_all() -> None:
    for sink in list(_open):
        if not sink.close(_EXIT_DEADLINE_S):
            say(f"the sink {sink._name} did not take the last chunks in time")


atexit.register(_close_all)
