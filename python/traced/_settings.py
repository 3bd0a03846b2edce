"""Settings: TRACED_* environment variables, overlaid by traced.configure()."""

from __future__ import annotations

import os
from types import ModuleType

from traced._say import say_once

PREFIX = "TRACED_"

# Of others: what the launcher calls the run is the default of TRACED_JOB, what the platform
# says of the machine are labels.
_DEFAULTS = ("TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "GPU_SERIAL", "VM_ID")

_configured: dict[str, str] = {}


def current() -> dict[str, str]:
    """Every setting that was made, by its environment name."""
    settings = {
        name: value
        for name, value in os.environ.items()
        if name == "TRACED" or name.startswith(PREFIX)
    }
    for name in _DEFAULTS:
        if name in os.environ and _is_text(os.environ[name]):
            settings[name] = os.environ[name]
    return settings | _configured


def tracing_is_off() -> bool:
    """Whether TRACED=0: the traced spellings then create the stock objects."""
    return current().get("TRACED") == "0"


def traces_everything() -> bool:
    """Whether TRACED=1: groups with stock names are traced, too.

    Raises:
        ValueError: TRACED is neither 0 nor 1.
    """
    value = current().get("TRACED", "")
    if value not in ("", "0", "1"):
        raise ValueError(f"TRACED={value} is not valid: expected 0 or 1")
    return value == "1"


def check(extension: ModuleType) -> None:
    """Checks the settings that were made.

    Raises:
        ValueError: A value is not valid.
    """
    settings = current()
    for name, value in settings.items():
        _check_text(name, value)
    known = extension.check_settings(settings)
    for name in sorted(settings):
        if name.startswith(PREFIX) and name not in known:
            say_once(f"{name} is no setting of traced; it has no effect")


def configure(**settings: object) -> None:
    """Sets settings from Python; they win over the environment.

    Call it before ``init_process_group``; what is set later is for processes
    that have not begun to record.

    Args:
        **settings: Names of docs/settings.md without ``TRACED_``, in lower
            case: ``dir``, ``job``, ``ring_mb``, ``labels`` (a string or a
            dict), ... ``None`` takes a setting back.

    Raises:
        ValueError: A value is not valid. The message names it and says what
            would be.
    """
    from traced import _extension

    wanted = dict(_configured)
    for key, value in settings.items():
        name = PREFIX + key.upper()
        if value is None:
            wanted.pop(name, None)
        elif isinstance(value, dict):
            wanted[name] = ",".join(_pair(name, k, v) for k, v in value.items())
        else:
            wanted[name] = _text(name, value)
    known = _extension.load().check_settings(wanted)
    for name in wanted:
        if name not in known:
            raise ValueError(f"{name} is no setting; there are {', '.join(sorted(known))}.")
    _configured.clear()
    _configured.update(wanted)


def _pair(name: str, key: object, value: object) -> str:
    if "," in f"{key}{value}" or "=" in str(key):
        raise ValueError(
            f"{name}: {key!r}: {value!r} is not valid: expected a key without , and = and a "
            "value without ,."
        )
    return f"{key}={value}"


def _text(name: str, value: object) -> str:
    if not isinstance(value, str | int | os.PathLike):
        raise ValueError(f"{name}={value!r} is not valid: expected a string, number or path.")
    text = str(os.fspath(value) if isinstance(value, os.PathLike) else value)
    _check_text(name, text)
    return text


def _check_text(name: str, value: str) -> None:
    if not _is_text(value):
        raise ValueError(f"{name}={value!a} is not valid: expected text in UTF-8.")


def _is_text(value: str) -> bool:
    # Bytes of the environment that are no UTF-8 are surrogates here.
    return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
