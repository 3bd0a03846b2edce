"""Configures a real Prometheus with the rules of docs/prometheus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

RULES = Path(__file__).parents[2] / "docs/prometheus/traced.rules.yml"


def arguments(
    folder: Path, address: str, targets: Sequence[str], every: str, token: Path | None = None
) -> list[str]:
    """Writes the configuration, and returns the arguments of `prometheus`.

    Args:
        folder: Gets the configuration and the data.
        address: Where it listens.
        targets: The addresses of `tracectl serve`.
        every: The interval of scrapes and of evaluations.
        token: A file with the token of `serve`.
    """
    scraped = {
        "job_name": "traced",
        "honor_labels": True,
        "static_configs": [{"targets": list(targets)}],
    }
    if token is not None:
        scraped["authorization"] = {"credentials_file": str(token)}
    config = {
        "global": {"scrape_interval": every, "evaluation_interval": every},
        "rule_files": [str(RULES)],
        "scrape_configs": [scraped],
    }
    path = folder / "prometheus.yml"
    path.write_text(json.dumps(config))
    return [
        f"--config.file={path}",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address={address}",
    ]
