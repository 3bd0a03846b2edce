"""Answers SQL over the tables of an export. Run by the interpreter that has the engines.

Standard input has {"folders": {name: folder}, "queries": {name: SQL}, "engine": name}; standard
output gets {folder: {query: rows}}.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

Ask = Callable[[str], list[tuple[Any, ...]]]


def _tables(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}


def duckdb(folder: Path) -> Ask:
    import duckdb

    connection = duckdb.connect()
    for name, path in _tables(folder).items():
        pattern = f"{path}/*/*/*.parquet"
        connection.read_parquet(pattern, hive_partitioning=True).create_view(name)
    return lambda query: connection.sql(query).fetchall()


def polars(folder: Path) -> Ask:
    import polars

    frames = {
        name: polars.scan_parquet(f"{path}/*/*/*.parquet", hive_partitioning=True)
        for name, path in _tables(folder).items()
    }
    context = polars.SQLContext(frames)
    return lambda query: context.execute(query).collect().rows()


_SPARK: list[Any] = []


def spark(folder: Path) -> Ask:
    from pyspark.sql import SparkSession

    if not _SPARK:
        builder = SparkSession.builder.master("local[2]")
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            # Tables are small: query compilation and Spark's start-up dominate.
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        _SPARK.append(builder.getOrCreate())
        _SPARK[0].sparkContext.setLogLevel("ERROR")
    (session,) = _SPARK
    for name, path in _tables(folder).items():
        session.read.parquet(str(path)).createOrReplaceTempView(name)
    return lambda query: [tuple(row) for row in session.sql(query).collect()]


ENGINES = {"duckdb": duckdb, "polars": polars, "spark": spark}


def _plain(value: Any) -> Any:
    """Returns a plain value: some engines return wider sums than others."""
    return int(value) if isinstance(value, Decimal) else value


def main() -> None:
    asked = json.load(sys.stdin)
    answers: dict[str, dict[str, Any]] = {}
    for name, folder in asked["folders"].items():
        ask = ENGINES[asked["engine"]](Path(folder))
        answers[name] = {
            title: [[_plain(value) for value in row] for row in ask(query)]
            for title, query in asked["queries"].items()
        }
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
