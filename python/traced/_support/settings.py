"""Settings: TRACED_* environment variables, overlaid by traced.configure()."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from traced._support.say import say_once

PREFIX = "TRACED_"

# Of others: what the launcher calls the run is the default of TRACED_JOB, what the platform
# says of the machine are labels.
_DEFAULTS = ("TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "GPU_SERIAL", "VM_ID")

_SWITCHED = {"1": True, "true": True, "yes": True, "on": True} | {
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip

# What a value of the environment's that is not valid is replaced by, and what is said of that. Any
# other counts as not set. None of them may cost the job more than was asked for.
_INSTEAD = {
    "TRACED_DIR": ({"TRACED": "0"}, "nothing is recorded"),
    "TRACED_MAX_BYTES": ({"TRACED_MAX_BYTES": "1M"}, "the least bound, 1M, is taken"),
}
_AS_NOT_SET: tuple[dict[str, str], str] = ({}, "it counts as not set")

_configured: dict[str, str] = {}
# Names and values of the environment's that are not valid.
_refused: set[tuple[str, str]] = set()


def current() -> dict[str, str]:
    """Every setting that was made, by its environment name, without those that were refused."""
    made = {
        name: value
        for name, value in os.environ.items()
        if name == "TRACED" or name.startswith(PREFIX)
    }
    settings = {item: value for item, value in made.items() if (item, value) not in _refused}
    for name in made.keys() - settings.keys() - _configured.keys():
        settings |= _INSTEAD.get(name, _AS_NOT_SET)[0]
    for name in _DEFAULTS:
        if name in os.environ and _is_text(os.environ[name]):
            settings[name] = os.environ[name]
    return settings | _configured


def are_made() -> bool:
    """Whether any setting of ours was made, and tracing is not switched off."""
    made = _configured or any(n == "TRACED" or n.startswith(PREFIX) for n in os.environ)
    return bool(made) and not tracing_is_off()


def switch(name: str) -> bool | None:
    """Whether a setting is switched on; None where it is not set, or set to neither."""
    return _SWITCHED.get(current().get(name, "").lower())


def tracing_is_off() -> bool:
    """Whether TRACED=0: the traced spellings then create the stock objects."""
    return switch("TRACED") is False


def traces_everything() -> bool:
    """Whether TRACED=1: groups with stock names are traced, too."""
    value = current().get("TRACED", "")
    if value and switch("TRACED") is None:
        _refuse("TRACED", value, f"TRACED={value} is not valid: expected 0 or 1")
    return switch("TRACED") is True


def check(extension: ModuleType) -> None:
    """Takes out of the environment's settings what is not valid, and says of each what was done.

    Those that were made in code are valid: ``configure`` refuses any other.
    """
    known = extension.check_settings({})
    for name, value in sorted(current().items()):
        if name not in known:
            _say_unknown(name, known)
            continue
        try:
            _check_text(name, value)
            extension.check_settings({name: value})
        except ValueError as error:
            _refuse(name, value, str(error))


def _say_unknown(name: str, known: dict[str, str]) -> None:
    if name.startswith(PREFIX):
        meant = _suggestion(name, known)
        say_once(f"{name} is no setting of traced; it has no effect{meant}")


def _suggestion(name: str, known: Iterable[str]) -> str:
    likely = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
    return f"; did you mean {likely[0]}?" if likely else ""


def _refuse(name: str, value: str, problem: str) -> None:
    _refused.add((name, value))
    done = _INSTEAD.get(name, _AS_NOT_SET)[1]
    say_once(f"{problem.rstrip('.')}; {done}")


def configure(**settings: object) -> None:
    """Sets settings from Python; they win over the environment.

    Call it before ``init_process_group``; what is set later is for processes
    that have not begun to record.

    Args:
        **settings: Names of docs/reference/settings.md without ``TRACED_``, in lower
            case: ``dir``, ``job``, ``ring_mb``, ``labels`` (a string or a
            dict), ... ``None`` takes a setting back.

    Raises:
        ValueError: A value is not valid, or a folder cannot be written. The
            message names it and says what would be right.
    """
    from traced._support.extension import load_extension

    wanted = dict(_configured)
    for key, value in settings.items():
        name = PREFIX + key.upper()
        if value is None:
            wanted.pop(name, None)
        elif isinstance(value, dict):
            wanted[name] = ",".join(_pair(name, k, v) for k, v in value.items())
        else:
            wanted[name] = _text(name, value)
    known = load_extension().check_settings(wanted)
    for name in wanted:
        if name not in known:
            raise ValueError(
                f"{name} is no setting{_suggestion(name, known)}; there are "
                f"{', '.join(sorted(known))}."
            )
    if "dir" in settings and "TRACED_DIR" in wanted:
        _check_folder(Path(wanted["TRACED_DIR"]))
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


def _check_folder(folder: Path) -> None:
    # Where a relative one is depends on where recording begins.
    there = folder
    while not os.path.lexists(there) and there != there.parent:
        there = there.parent
    if folder.is_absolute() and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise ValueError(
            f"TRACED_DIR={folder} is not valid: expected a folder; {there} is none that this user "
            "may write to."
        )


def _is_text(value: str) -> bool:
    # Bytes of the environment that are no UTF-8 are surrogates here.
    return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
