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
        from traced._support.say import say

        say(f"could not register its backends: {error!r}")
