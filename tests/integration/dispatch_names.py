"""Maps operations of a trace to their names in c10d's dispatcher."""

from __future__ import annotations

OPERATIONS = {
    "_allgather_base_": "all_gather_into_tensor",
    "_reduce_scatter_base_": "reduce_scatter_tensor",
    "all_gather_single_": "all_gather_into_tensor",
    "allgather_": "all_gather",
    "allgather_coalesced_": "all_gather_coalesced",
    "allgather_into_tensor_coalesced_": "all_gather_into_tensor_coalesced",
    "allreduce_": "all_reduce",
    "allreduce_coalesced_": "all_reduce_coalesced",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all_single",
    "barrier": "barrier",
    "broadcast_": "broadcast",
    "gather_": "gather",
    "gather_into_tensor_": "gather_into_tensor",
    "monitored_barrier_": "monitored_barrier",
    "recv_": "recv",
    "recv_any_source_": "recv",
    "reduce_": "reduce",
    "reduce_scatter_": "reduce_scatter",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter_tensor_coalesced",
    "scatter_": "scatter",
    "send": "send",
}

#: Operations of a trace that go to a backend directly.
MANAGEMENT = {"split", "merge", "shrink", "reconfigure", "suspend", "resume"}
