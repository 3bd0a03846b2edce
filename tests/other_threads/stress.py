"""Samples threads without a pause while they create and end threads, frames and code.

Usage: stress.py FOLDER SECONDS [SEED]. Prints the numbers of samples, of stacks read and of frames.
A crash is the failure.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

sys.path.insert(0, sys.argv[1])
import probe

END = time.monotonic() + float(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else int.from_bytes(os.urandom(2), "big")


def threads() -> None:
    started = [threading.Thread(target=lambda: sum(range(random.randrange(2000)))) for _ in "12345"]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def recursion() -> None:
    def deeper(depth: int) -> int:
        return 1 + deeper(depth - 1) if depth else 0

    deeper(random.randrange(3000))


def made_code() -> None:
    body = "  x = n\n" * random.randrange(1, 30)
    names: dict[str, Callable[[int], list[int]]] = {}
    exec(f"def f(n):\n{body}  return [g for g in (y for y in range(n))]", names)
    names["f"](random.randrange(50))
    names["f"].__code__ = names["f"].__code__.replace(co_name=f"n{random.randrange(999)}")
    names["f"](1)
    if random.random() < 0.02:
        gc.collect()


def generators() -> None:
    def tree(depth: int) -> Iterator[int]:
        if depth == 0:
            yield 1
        else:
            yield from tree(depth - 1)
            yield from tree(depth - 1)

    sum(tree(random.randrange(10)))


def coroutines() -> None:
    async def nested(depth: int) -> None:
        if depth:
            await nested(depth - 1)
        await asyncio.sleep(0)

    async def together() -> None:
        await asyncio.gather(*(nested(random.randrange(20)) for _ in range(20)))

    asyncio.run(together())


def exceptions() -> None:
    error = type(f"Error{random.randrange(99)}", (Exception,), {})

    def deeper(depth: int) -> None:
        try:
            if depth == 0:
                raise error("m" * random.randrange(400))
            deeper(depth - 1)
        finally:
            len("x")

    with suppress(error):
        deeper(random.randrange(60))


def repeated(work: Callable[[], None]) -> None:
    while time.monotonic() < END:
        work()


def main() -> None:
    print(f"{sys.version.split()[0]}, seed {SEED}", flush=True)
    random.seed(SEED)
    assert probe.init() == ""
    sys.setrecursionlimit(20000)
    threading.stack_size(256 << 20)
    works = (threads, recursion, made_code, generators, coroutines, exceptions)
    workers = [threading.Thread(target=repeated, args=(work,)) for work in works]
    probe.start()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    samples, stacks, frames = probe.stop()
    print(f"{samples} samples, {stacks} stacks, {frames} frames", flush=True)


if __name__ == "__main__":
    main()
