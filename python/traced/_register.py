"""Makes the traced spellings known to torch.distributed.

torch calls :func:`register` while it is imported (entry point
``torch.backends``), so it must be small and must never fail.
"""

from __future__ import annotations


def register() -> None:
    """Defines the spellings; does nothing where torch has no distributed."""
    try:
        import torch.distributed as dist

        if not dist.is_available():
            return
        from traced._torch import hooks, spellings

        spellings.define(dist.Backend)
        hooks.install()
    except Exception as error:  # import torch must go on
        _say(f"could not register its backends: {error!r}")


def _say(sentence: str) -> None:
    try:
        try:
            from traced._support.say import say
        except Exception:  # the installation is damaged there, too
            import os
            import select

            if select.select([], [2], [], 0)[1]:  # else the job would wait for its reader
                os.write(2, f"traced: {sentence}"[:4000].encode(errors="replace") + b"\n")
        else:
            say(sentence)
    except Exception:  # no stderr, no memory or no descriptor
        return
