"""Makes torchtitan use the CPU, which it does not do by itself.

The folder is in the PYTHONPATH of its ranks: each Python starts with this module.
"""

from __future__ import annotations

import sys
import types
from types import SimpleNamespace
from typing import Any


def _take_the_cpu() -> None:
    import torch
    import torch._utils

    device = types.ModuleType("device")
    device.__dict__.update({name: getattr(torch.cpu, name) for name in dir(torch.cpu)})
    device.__dict__.update(
        get_device_name=lambda _=None: "CPU",
        get_device_properties=lambda _=None: SimpleNamespace(total_memory=2**30, name="CPU"),
        memory_stats=lambda _=None: {},
        reset_peak_memory_stats=lambda: None,
        empty_cache=lambda: None,
        current_device=lambda: 0,
    )
    torch._utils._get_available_device_type = lambda: "cpu"
    torch._utils._get_device_module = lambda _: device


def _attend_on_the_cpu() -> None:
    """Replaces its attention, which has no gradient on the CPU, by the plain formula."""
    from torch.nn.attention.flex_attention import create_mask
    from torch.nn.functional import scaled_dot_product_attention
    from torchtitan.models.common.attention import FlexAttention

    def attend(q: Any, k: Any, v: Any, *, block_mask: Any, scale: Any, **other: Any) -> Any:
        mask = create_mask(block_mask.mask_mod, len(q), 1, q.shape[2], k.shape[2], device="cpu")
        gqa = other["enable_gqa"]
        out = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=gqa)
        return out, None

    FlexAttention.compiled_flex_attn = staticmethod(attend)


def _sum_gradients() -> None:
    """Makes FSDP divide after the sum, because Gloo cannot scale."""
    from torch.distributed.fsdp import FSDPModule

    set_factor = FSDPModule.set_gradient_divide_factor

    def set_factor_of_a_sum(self: Any, factor: float) -> None:
        self.set_force_sum_reduction_for_comms(True)
        set_factor(self, factor)

    FSDPModule.set_gradient_divide_factor = set_factor_of_a_sum


# In a rank, not in torchrun itself.
if "torchtitan.train" in sys.orig_argv and "--standalone" not in sys.orig_argv:
    _take_the_cpu()
    _attend_on_the_cpu()
    _sum_gradients()
