"""The extension: the recorder and the c10d backend. Private."""

from torch._C._distributed_c10d import Store
from torch.distributed import ProcessGroup

torch_version: str

def check_settings(settings: dict[str, str]) -> dict[str, str]: ...
def start_recording(
    settings: dict[str, str],
    rank: int,
    world_size: int,
    attempt: int,
    versions: dict[str, str],
) -> bool: ...
def make_process_group(
    store: Store,
    rank: int,
    size: int,
    name: str,
    members: list[int],
    devices: list[str],
    backend_type: ProcessGroup.BackendType,
    real: object,
    served: object,
) -> ProcessGroup: ...
def flush(timeout: float) -> bool: ...
def stop_recording(timeout: float) -> None: ...
def location() -> str | None: ...
