"""Defines the engines of a drill: Gloo, or NCCL over simulated GPUs."""

from __future__ import annotations

from dataclasses import dataclass, field

from nccl_engines import ENGINES, SHORT_DEATH

__all__ = ["ENGINES", "GLOO", "Engine", "nccl"]


@dataclass(frozen=True)
class Engine:
    """Executes the calls of a drill.

    Attributes:
        name: For tables and folders; "" is Gloo.
        env: The environment of its ranks.
        report_delay_s: Maximum delay of reported ends. The diagnosis of a hang waits for this time.
    """

    name: str = ""
    backend: str = "traced:gloo"
    env: dict[str, str] = field(default_factory=dict, hash=False)
    report_delay_s: float = 0.0

    @property
    def is_nccl(self) -> bool:
        """Returns whether it runs on devices."""
        return bool(self.name)


GLOO = Engine()


def nccl(engine: str, device_time: str) -> Engine:
    """Returns one of torch's two engines ("newer", "classic") with these device times."""
    env = {"TRACED_DEVICE_TIME": device_time} | ENGINES[engine] | SHORT_DEATH
    return Engine(f"{engine}-{device_time}", "traced:nccl", env, report_delay_s=2.0)
