"""Runs a traced job of one rank beside a package with its own protobuf, abseil or zstd.

    neighbour.py tensorflow|onnx|pyarrow before|after

Prints "NAME works" when both have done their work, one before and one after the other.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any


def tensorflow() -> None:
    """Uses its protobuf: a graph through bytes and back; its abseil: flags and status."""
    import tensorflow as tf

    function = tf.function(lambda x: x * 2).get_concrete_function(tf.constant(1.0))
    again = tf.compat.v1.GraphDef.FromString(function.graph.as_graph_def().SerializeToString())
    assert len(again.node) >= 2
    with tempfile.NamedTemporaryFile() as file:
        tf.io.write_file(file.name, tf.io.serialize_tensor(tf.constant([1.0, 2.0])))
        parsed = tf.io.parse_tensor(tf.io.read_file(file.name), tf.float32)
    assert parsed.numpy().tolist() == [1.0, 2.0]


def onnx() -> None:
    """Uses its protobuf in C++: a model that its checker parses."""
    from onnx import TensorProto, checker, helper, shape_inference

    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [value], [result])
    model = helper.make_model(graph)
    checker.check_model(model.SerializeToString())
    assert shape_inference.infer_shapes(model).graph.output[0].name == "y"


def pyarrow() -> None:
    """Uses its zstd: a table through a compressed file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"n": list(range(10_000))})
    with tempfile.NamedTemporaryFile() as file:
        pq.write_table(table, file.name, compression="zstd")
        assert pq.read_table(file.name) == table


def job() -> None:
    """Runs a traced job; the records are encoded and compressed before it ends, and read back."""
    import torch
    import torch.distributed as dist
    import traced

    store: Any = dist.HashStore()
    dist.init_process_group("traced:gloo", store=store, rank=0, world_size=1)
    tensor = torch.ones(8)
    for _ in range(4):
        dist.all_reduce(tensor)
    taken = traced.snapshot()["operations"][-4:]
    assert [item["op"] for item in taken] == ["all_reduce"] * 4
    assert tensor.tolist() == [1.0] * 8
    dist.destroy_process_group()


name, order = sys.argv[1:]
neighbour = {"tensorflow": tensorflow, "onnx": onnx, "pyarrow": pyarrow}[name]
for work in (neighbour, job, neighbour) if order == "before" else (job, neighbour, job):
    work()
print(f"{name} works")
