"""Passes what this process records to functions of the program."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any

from traced import recording
from traced._support import arguments
from traced._support.coerce import printable
from traced._support.log import described, log

_EXIT_TIMEOUT_S = 2.0
# Finalizers run in order of priority: sinks close before recording stops, at priority 0.
_FINALIZER_PRIORITY = 1

_open: list[Sink] = []
# The process whose multiprocessing finalizer closes the sinks.
_finalizer_pid: int | None = None


class Sink:
    """A function that receives what this process records; made by :func:`add_sink`.

    Attributes:
        delivered: The number of chunks for which the function returned.
        failed: The number of chunks for which it raised an exception; they are not sent again.
    """

    def __init__(self, deliver: Callable[[bytes], object], name: str, max_bytes: int) -> None:
        from traced._support.extension import load_extension

        self.delivered = 0
        self.failed = 0
        self._deliver = deliver
        self._name = name
        self._pid = os.getpid()
        self._queue: Any = load_extension().SinkQueue(printable(f"the sink {name}"), max_bytes)
        self._thread = threading.Thread(target=self._run, name="traced-sink", daemon=True)
        self._thread.start()
        self._queue.open()

    @property
    def dropped(self) -> int:
        """The number of chunks that were not delivered because the queue was full."""
        return int(self._queue.dropped_chunks)

    @property
    def dropped_records(self) -> int:
        """The number of records in the dropped chunks."""
        return int(self._queue.dropped_records)

    def close(self, deadline: float = 2.0) -> bool:
        """Delivers what is recorded so far, and then nothing more.

        Args:
            deadline: Seconds to wait at most for the recorder, and again for the function.

        Returns:
            Whether the function has received everything. If not, it still receives the rest, and
            the attributes count it.

        Raises:
            TypeError: `deadline` is not a number.
        """
        within = arguments.seconds("Sink.close", "deadline", deadline)
        if os.getpid() != self._pid:
            return True  # a forked child has no thread for it
        if self in _open:
            _open.remove(self)
        recording.flush(within)
        self._queue.close()
        self._thread.join(within)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (chunk := self._queue.take()) is not None:
            try:
                self._deliver(chunk)
            except BaseException as error:  # SystemExit would end this thread silently
                self.failed += 1
                if self.failed == 1:
                    log(
                        f"the sink {self._name} failed: {described(error)}; "
                        "it still receives the next chunks, and Sink.failed counts the failures"
                    )
            else:
                self.delivered += 1


def add_sink(
    deliver: Callable[[bytes], object], *, name: str | None = None, max_bytes: int = 16 << 20
) -> Sink:
    """Passes everything that this process records to a function, in addition to the trace file.

    The function receives each chunk from now on, about one per second, on its own thread. Call this
    before ``init_process_group`` to receive all chunks. :func:`traced.reader.parse` reads a single
    chunk, and all chunks written one after another are a trace file.

    The function never delays the job, the file or another sink. If it is slow, chunks are queued,
    then dropped and counted. If it raises, the chunk counts as failed. The first of each is logged
    to stderr.

    A process closes its sinks when it exits; later records are in the file only. A killed process
    loses the queued chunks. A forked child has no sinks.

    Args:
        deliver: The function; it is called with the bytes of one whole chunk.
        name: The name in messages; by default that of the function.
        max_bytes: The size of the queue in bytes.

    Returns:
        The sink, which counts chunks and can be closed.

    Raises:
        TypeError: `deliver` is not callable, or `max_bytes` is not an int.
        ValueError: `max_bytes` is negative.
        TracedError: The extension cannot be loaded with this torch.
    """
    arguments.function("add_sink", "deliver", deliver)
    if not isinstance(max_bytes, int):
        raise TypeError(f"traced.add_sink: max_bytes must be an int, not {max_bytes!r}")
    if max_bytes < 0:
        raise ValueError(f"traced.add_sink: max_bytes must not be negative, but is {max_bytes}")
    called = name or str(getattr(deliver, "__qualname__", repr(deliver)))
    sink = Sink(deliver, called, max_bytes)
    _open.append(sink)
    _close_when_multiprocessing_ends()
    return sink


def _close_when_multiprocessing_ends() -> None:
    # A process that multiprocessing forked runs finalizers but no exit handlers. A child inherits
    # _finalizer_pid but not the finalizer.
    global _finalizer_pid
    from multiprocessing import parent_process, util

    if parent_process() is not None and _finalizer_pid != os.getpid():
        _finalizer_pid = os.getpid()
        util.Finalize(None, _close_all, exitpriority=_FINALIZER_PRIORITY)


def _close_all() -> None:
    for sink in list(_open):
        if not sink.close(_EXIT_TIMEOUT_S):
            log(
                f"the sink {sink._name} did not receive the last chunks within "
                f"{_EXIT_TIMEOUT_S:g} s; the trace file has them"
            )


atexit.register(_close_all)
