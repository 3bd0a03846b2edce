"""Engines that run tasks. What is scheduled where, tried again or moved is theirs to decide."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from traced._support.errors import CommandError
from traced.cluster.files import Folder
from traced.cluster.parts import Part, digested, together

#: How many parts one task puts together.
_FAN_IN = 8

#: Makes one part of folders, with options of `tracectl digest`, and with so many workers or as many
#: as the engine likes.
Engine = Callable[[list[Folder], tuple[str, ...], "int | None"], Part]


def local(folders: list[Folder], options: tuple[str, ...], workers: int | None) -> Part:
    """Threads of this process, each of which waits for a tracectl."""
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        parts = list(pool.map(partial(digested, options=options), folders))
        while len(parts) > 1:
            parts = list(pool.map(together, _bunches(parts)))
    return parts[0]


def spark(folders: list[Folder], options: tuple[str, ...], workers: int | None) -> Part:
    """Spark's tasks, and its tree of them. `workers` asks for threads of this machine."""
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError:
        raise _not_installed("spark") from None
    # What Spark starts must find this package and tracectl.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setIfMissing("spark.app.name", "traced")
    # Standard output and error are for answers and warnings.
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    # Where tasks run on one machine Spark tries none again, unless it is told how often.
    many = workers or "*"
    if workers or not conf.contains("spark.master"):
        conf.setMaster(f"local[{many},4]")
    context = SparkContext.getOrCreate(conf)
    context.setLogLevel("ERROR")
    return _asked("spark", partial(_spark_part, context, folders, options))


def _spark_part(context: Any, folders: list[Folder], options: tuple[str, ...]) -> Part:
    made = partial(digested, options=options)
    parts = context.parallelize(folders, len(folders)).map(made)
    return Part(*parts.treeReduce(lambda one, other: together([one, other])))


def ray(folders: list[Folder], options: tuple[str, ...], workers: int | None) -> Part:
    """Ray's tasks, which it tries again where a worker dies. `workers` limits a local Ray."""
    try:
        import ray as engine
    except ImportError:
        raise _not_installed("ray") from None
    if not engine.is_initialized():
        limits = {"num_cpus": workers} if workers else {}
        engine.init(ignore_reinit_error=True, log_to_driver=False, **limits)
    return _asked("ray", partial(_ray_part, engine, folders, options))


def _ray_part(engine: Any, folders: list[Folder], options: tuple[str, ...]) -> Part:
    map_task = engine.remote(digested)
    # Ray hands over what is at the top of the arguments.
    reduce_task = engine.remote(_together_of)
    parts = [map_task.remote(folder, options) for folder in folders]
    while len(parts) > 1:
        parts = [reduce_task.remote(*bunch) for bunch in _bunches(parts)]
    return Part(*engine.get(parts[0]))


def _together_of(*parts: Part) -> Part:
    return together(list(parts))


ENGINES: dict[str, Engine] = {"local": local, "spark": spark, "ray": ray}


def _bunches(parts: list[Any]) -> list[list[Any]]:
    return [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]


def _not_installed(name: str) -> CommandError:
    return CommandError(
        f"the engine {name} is not installed: pip install 'traced[{name}]'", exit_code=2
    )


def _asked(name: str, work: Callable[[], Part]) -> Part:
    """What comes of an engine; what it raises is told by its last words, and is behind that."""
    try:
        return work()
    except Exception as error:
        words = [line for line in str(error).splitlines() if line.strip()]
        last = words[0].strip() if words else type(error).__name__
        raise CommandError(f"{name} gave up: {last}", exit_code=4) from error
