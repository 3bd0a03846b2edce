"""Settings: TRACED_* environment variables, overlaid by traced.configure()."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from traced._support.log import log_once

PREFIX = "TRACED_"

# Variables of launchers and platforms: they name the job or become labels.
_DEFAULTS = ("TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "GPU_SERIAL", "VM_ID")

_SWITCHED = {"1": True, "true": True, "yes": True, "on": True} | {
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip

# The settings that replace an invalid value of the environment, and the consequence as a clause.
# Any other invalid value is ignored. A replacement must not cost the job more than it asked for.
_REPLACEMENTS = {
    "TRACED_DIR": ({"TRACED": "0"}, "nothing is recorded"),
    "TRACED_MAX_BYTES": ({"TRACED_MAX_BYTES": "1M"}, "the smallest limit, 1M, is used"),
}
_IGNORED: tuple[dict[str, str], str] = ({}, "it is ignored")
# Similarity from which difflib's answer is a likely misspelling.
_SIMILAR = 0.6
_SIMILAR_VARIABLE = 0.8

_configured: dict[str, str] = {}
# Names and values of invalid environment variables.
_invalid: set[tuple[str, str]] = set()


def current() -> dict[str, str]:
    """Returns the settings of the environment and of configure(), by environment variable.

    Those that :func:`check` found invalid are replaced or left out.
    """
    made = {
        name: value
        for name, value in os.environ.items()
        if name == "TRACED" or name.startswith(PREFIX)
    }
    settings = {item: value for item, value in made.items() if (item, value) not in _invalid}
    for name in made.keys() - settings.keys() - _configured.keys():
        settings |= _REPLACEMENTS.get(name, _IGNORED)[0]
    for name in _DEFAULTS:
        if name in os.environ and _is_text(os.environ[name]):
            settings[name] = os.environ[name]
    return settings | _configured


def are_made() -> bool:
    """Returns whether any TRACED setting was made, and tracing is not switched off."""
    made = _configured or any(n == "TRACED" or n.startswith(PREFIX) for n in os.environ)
    return bool(made) and not tracing_is_off()


def switch(name: str) -> bool | None:
    """Returns whether a setting is on; None where it is not set, or is neither on nor off."""
    return _SWITCHED.get(current().get(name, "").lower())


def tracing_is_off() -> bool:
    """Returns whether TRACED=0: traced backend names then create the stock objects."""
    return switch("TRACED") is False


def traces_everything() -> bool:
    """Returns whether TRACED=1: groups with stock backend names are traced as well."""
    value = current().get("TRACED", "")
    if value and switch("TRACED") is None:
        _reject("TRACED", value, f"TRACED={value} is not valid: expected 0 or 1")
    return switch("TRACED") is True


def check(extension: ModuleType) -> None:
    """Removes invalid settings of the environment, and logs each with its consequence.

    Settings from ``configure`` are valid already.
    """
    known = extension.check_settings({})
    for name, value in sorted(current().items()):
        if name not in known:
            _log_unknown(name, known)
            continue
        try:
            _check_text(name, value)
            extension.check_settings({name: value})
        except ValueError as error:
            _reject(name, value, str(error))


def _log_unknown(name: str, known: dict[str, str]) -> None:
    if name.startswith(PREFIX):
        likely = difflib.get_close_matches(name, known, n=1, cutoff=_SIMILAR_VARIABLE)
        hint = f"; did you mean {likely[0]}?" if likely else ""
        log_once(f"{name} is not a setting and has no effect{hint}")


def _reject(name: str, value: str, problem: str) -> None:
    _invalid.add((name, value))
    consequence = _REPLACEMENTS.get(name, _IGNORED)[1]
    log_once(f"{problem.rstrip('.')}; {consequence}")


def configure(**settings: object) -> None:
    """Sets settings for this process; they win over environment variables.

    Call it before ``init_process_group``: a process that records already keeps its settings. ::

        traced.configure(dir="/scratch/traces", job="run42", labels={"site": "fi"})

    Args:
        **settings: Any setting of docs/reference/settings.md by its name in lower case without
            ``TRACED_``. A value is a str, a number, a bool or a path, and for ``labels`` also a
            dict. ``None`` removes what an earlier call set. Units are those of the setting.

    Raises:
        ValueError: A name or a value is not valid, or ``dir`` cannot be written to. The message
            names the closest settings or the expected values. No setting changes then.
        TracedError: The extension cannot be loaded with this torch.
    """
    from traced._support.extension import load_extension

    extension = load_extension()
    _check_names(settings, extension.check_settings({}))
    wanted = dict(_configured)
    for key, value in settings.items():
        name = PREFIX + key.upper()
        if value is None:
            wanted.pop(name, None)
        elif isinstance(value, dict) and key == "labels":
            wanted[name] = ",".join(_pair(k, v) for k, v in value.items())
        else:
            wanted[name] = _text(key, value)
            try:
                extension.check_settings({name: wanted[name]})
            except ValueError as error:
                problem = str(error).removeprefix(f"{name}=").rstrip(".")
                raise ValueError(f"traced.configure: {key}={problem}") from None
    extension.check_settings(wanted)
    if settings.get("dir") is not None:
        _check_folder(Path(wanted["TRACED_DIR"]))
    _configured.clear()
    _configured.update(wanted)


def _check_names(settings: Iterable[str], known: Iterable[str]) -> None:
    names = sorted(name.removeprefix(PREFIX).lower() for name in known if name.startswith(PREFIX))
    for key in settings:
        if key in names:
            continue
        wanted = key.lower().removeprefix(PREFIX.lower())
        likely = difflib.get_close_matches(wanted, names, cutoff=_SIMILAR)
        likely = [wanted] if wanted in names else likely
        hint = (
            f"did you mean {' or '.join(likely)}?"
            if likely
            else f"known settings: {', '.join(names)}"
        )
        raise ValueError(f"traced.configure: {key} is not a setting; {hint}")


def _pair(key: object, value: object) -> str:
    if "," in f"{key}{value}" or "=" in str(key):
        raise ValueError(
            f"traced.configure: labels: {key!r}: {value!r} is not valid: a label must not contain "
            "a comma, nor its key an equals sign"
        )
    return f"{key}={value}"


def _text(key: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if not isinstance(value, str | int | float):
        raise ValueError(
            f"traced.configure: {key}={value!r} is not valid: expected a str, number, bool or path"
        )
    text = str(value)
    try:
        _check_text(key, text)
    except ValueError as error:
        raise ValueError(f"traced.configure: {error}") from None
    return text


def _check_text(name: str, value: str) -> None:
    if not _is_text(value):
        raise ValueError(f"{name}={value!a} is not valid: expected text in UTF-8")


def _check_folder(folder: Path) -> None:
    # A relative folder is resolved where recording begins, maybe in another current folder.
    existing = folder
    while not os.path.lexists(existing) and existing != existing.parent:
        existing = existing.parent
    if folder.is_absolute() and not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        raise ValueError(
            f"traced.configure: dir={folder} is not valid: {existing} is not a folder that this "
            "user may write to"
        )


def _is_text(value: str) -> bool:
    # Bytes of the environment that are not UTF-8 become surrogates.
    return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
