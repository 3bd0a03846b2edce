"""Compares the stacks of threads at rest with sys._current_frames().

Usage: at_rest.py FOLDER, which has the module `probe`. Needs nothing but Python 3.11 or later.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

sys.path.insert(0, sys.argv[1])
import probe

Rest = Callable[[], None]
MAX_FRAMES = 64
FROM_3_11 = sys.version_info >= (3, 11)


def recursion(rest: Rest, depth: int = 200) -> None:
    if depth:
        recursion(rest, depth - 1)
    else:
        rest()


def generator(rest: Rest) -> None:
    def inner() -> Iterator[int]:
        yield 1
        rest()

    def outer() -> Iterator[int]:
        yield from inner()

    list(outer())


def coroutine(rest: Rest) -> None:
    async def inner() -> None:
        await asyncio.sleep(0)
        rest()

    async def outer() -> None:
        await inner()

    asyncio.run(outer())


def made_code(rest: Rest) -> None:
    exec(compile("def f(rest):\n\n  rest()\nf(rest)", "<made>", "exec"), {"rest": rest})


def destructor(rest: Rest) -> None:
    class Item:
        def __del__(self) -> None:
            rest()

    item = Item()
    del item


def cleanup(rest: Rest) -> None:
    try:
        raise ValueError("boom äöü €")
    finally:
        rest()


def nested_exceptions(rest: Rest) -> None:
    try:
        try:
            raise KeyError(3)
        except KeyError:
            raise RuntimeError("outer") from None
    except RuntimeError:
        rest()


def context_manager(rest: Rest) -> None:
    class Manager:
        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:
            rest()

    with Manager():
        raise OSError("inside")


def comprehension(rest: Rest) -> None:
    [rest() for _ in range(1)]


def called_from_c(rest: Rest) -> None:
    sorted([2, 1], key=lambda _: rest() or 0)


def ünïcode(rest: Rest) -> None:
    rest()


FORMS = {
    recursion: "",
    generator: "",
    coroutine: "",
    made_code: "",
    destructor: "",
    cleanup: "ValueError: boom äöü €",
    nested_exceptions: "RuntimeError: outer",
    context_manager: "OSError: inside",
    comprehension: "",
    called_from_c: "",
    ünïcode: "",
}


def expected(frame: FrameType | None) -> list[tuple[str, str, int]]:
    lines = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        lines.append((name, code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    return lines


def check(name: str, tid: int, ident: int, handled: str) -> bool:
    want = expected(sys._current_frames()[ident])
    got = probe.stack(tid)
    if got is None:
        print(f"{name}: not read")
        return False
    frames, error, message, cut = got
    handling = f"{error}: {message}" if message else error
    fine = (frames, cut) == (want[:MAX_FRAMES], max(0, len(want) - MAX_FRAMES))
    if not fine or handling != handled:
        print(
            f"{name}:\n  {frames[:4]} cut {cut}, {handling}\n  {want[:4]} of {len(want)}, {handled}"
        )
        return False
    return True


def is_asleep(tid: int) -> bool:
    with open(f"/proc/self/task/{tid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def main() -> int:
    assert probe.init() == ""
    lock = threading.Lock()
    lock.acquire()

    def waits() -> None:
        lock.acquire()
        lock.release()

    def sleeps() -> None:
        time.sleep(1000)

    threads = []
    for form, handled in FORMS.items():
        for rest in (waits, sleeps):
            thread = threading.Thread(target=form, args=(rest,), daemon=True)
            thread.start()
            threads.append((f"{form.__name__} {rest.__name__}", thread, handled))
    at_rest = {waits.__code__, sleeps.__code__}
    for _, thread, _ in threads:
        while sys._current_frames()[thread.ident or 0].f_code not in at_rest or not is_asleep(
            thread.native_id or 0
        ):
            time.sleep(0)
    wrong = 0
    if FROM_3_11:
        for name, thread, handled in threads:
            wrong += not check(name, thread.native_id or 0, thread.ident or 0, handled)
        assert len(probe.threads()) == len(threads) + 1
    seen_main = []

    def sees_main() -> None:
        ident = threading.main_thread().ident or 0
        seen_main.append(check("main thread", os.getpid(), ident, ""))

    seer = threading.Thread(target=sees_main)
    seer.start()
    seer.join()
    wrong += seen_main != [True]
    wrong += probe.interpreter() != (os.getpid(), False)
    print(f"{sys.version.split()[0]}: {len(threads) + 1} stacks, {wrong} wrong", flush=True)
    return wrong


if __name__ == "__main__":
    os._exit(main())
