"""Registers the traced backend names with torch.distributed.

torch calls :func:`register` during its own import (entry point ``torch.backends``), so this module
must be cheap and must never raise.
"""

from __future__ import annotations


def register() -> None:
    """Registers the backend names and wraps torch's functions, if torch has distributed."""
    try:
        import torch.distributed as dist

        if not dist.is_available():
            return
        from traced._torch import backend_names, hooks

        backend_names.define(dist.Backend)
        hooks.install()
    except Exception as error:  # the import of torch must succeed
        _log(
            f"could not register its backends ({error!r}): jobs run untraced; install traced again"
        )


def _log(sentence: str) -> None:
    try:
        try:
            from traced._support.log import log
        except Exception:  # the installation is damaged
            import os
            import select

            if select.select([], [2], [], 0)[1]:  # else the write would block the job
                os.write(2, f"traced: {sentence}"[:4000].encode(errors="replace") + b"\n")
        else:
            log(sentence)
    except Exception:  # no stderr, no memory or no descriptor
        return
