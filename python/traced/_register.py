"""Makes the traced spellings known to torch.distributed.

torch calls :func:`register` while it is imported (entry point
``torch.backends``), so it must be small and must never fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

# Registered name -> what users write. The names with a colon are aliases: a
# colon in a registered name would be read as "device:backend" later on.
SPELLINGS = {"traced-gloo": "traced:gloo"}


def register() -> None:
    """Registers the backends; does nothing where torch has no distributed."""
    try:
        import torch.distributed as dist

        if not dist.is_available():
            return
        _register_all()
    except Exception as error:  # import torch must go on
        import warnings

        warnings.warn(f"traced could not register its backends: {error!r}", stacklevel=2)


def _register_all() -> None:
    import torch.distributed.distributed_c10d as c10d

    backend = c10d.Backend
    for name, alias in SPELLINGS.items():
        if name in backend.backend_list:
            continue
        backend.register_backend(
            name,
            _create_gloo,
            extended_api=True,
            devices=list(backend.backend_capability[backend.GLOO]),
        )
        setattr(backend, alias.upper(), name)
        # The real backend below records into the Flight Recorder by itself.
        recording = getattr(c10d, "_FR_SELF_RECORDING_BACKENDS", None)
        if isinstance(recording, set):
            recording.add(name)


def _create_gloo(options: Any, backend_options: Any) -> ProcessGroup:
    # Imported late, so that importing torch does not load the extension.
    from traced import _create

    return _create.create_gloo(options, backend_options)
