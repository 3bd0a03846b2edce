"""How long the tests wait: TEST_PATIENCE=N makes it N times longer, for slow machines."""

from __future__ import annotations

import os
from datetime import timedelta


def patient(seconds: float) -> float:
    """The seconds to wait for what takes less on a usual machine."""
    return seconds * float(os.environ.get("TEST_PATIENCE", "1"))


def patient_timeout(seconds: float) -> timedelta:
    """The same for torch."""
    return timedelta(seconds=patient(seconds))
