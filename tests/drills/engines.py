"""What carries out the calls of a drill: Gloo, or NCCL over simulated GPUs."""

from __future__ import annotations

from dataclasses import dataclass, field

from nccl_engines import ENGINES, SHORT_DEATH

__all__ = ["ENGINES", "GLOO", "Engine", "nccl"]


@dataclass(frozen=True)
class Engine:
    """What carries out the calls.

    Attributes:
        name: For tables and folders; "" is Gloo.
        env: Of its ranks.
        told_late_s: Ends are told later by so much at most, so that whoever judges what stands
            still waits for so long.
    """

    name: str = ""
    backend: str = "traced:gloo"
    env: dict[str, str] = field(default_factory=dict, hash=False)
    told_late_s: float = 0.0

    @property
    def is_nccl(self) -> bool:
        """Whether it runs on devices."""
        return bool(self.name)


GLOO = Engine()


def nccl(engine: str, device_time: str) -> Engine:
    """One of torch's two engines ("newer", "classic"), with its device times."""
    env = {"TRACED_DEVICE_TIME": device_time} | ENGINES[engine] | SHORT_DEATH
    return Engine(f"{engine}-{device_time}", "traced:nccl", env, told_late_s=2.0)
