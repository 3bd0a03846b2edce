// The collectives of TracedBackend: the operation, its description and the
// inner call.

#include "c10d/wrapper/record_call.h"

namespace traced {

TracedBackend::Work TracedBackend::broadcast(
    Tensors& tensors, const c10d::BroadcastOptions& opts) {
  return collective(Operation::kBroadcast, describingInPlace(tensors, opts),
                    [&] { return inner_->broadcast(tensors, opts); });
}

TracedBackend::Work TracedBackend::allreduce(
    Tensors& tensors, const c10d::AllreduceOptions& opts) {
  return collective(Operation::kAllReduce, describingInPlace(tensors, opts),
                    [&] { return inner_->allreduce(tensors, opts); });
}

TracedBackend::Work TracedBackend::allreduce_sparse(
    Tensors& tensors, const c10d::AllreduceOptions& opts) {
  return collective(Operation::kAllReduceSparse,
                    describingInPlace(tensors, opts),
                    [&] { return inner_->allreduce_sparse(tensors, opts); });
}

TracedBackend::Work TracedBackend::allreduce_coalesced(
    Tensors& tensors, const c10d::AllreduceCoalescedOptions& opts) {
  return collective(Operation::kAllReduceCoalesced,
                    describingInPlace(tensors, opts),
                    [&] { return inner_->allreduce_coalesced(tensors, opts); });
}

TracedBackend::Work TracedBackend::reduce(Tensors& tensors,
                                          const c10d::ReduceOptions& opts) {
  return collective(Operation::kReduce, describingInPlace(tensors, opts),
                    [&] { return inner_->reduce(tensors, opts); });
}

TracedBackend::Work TracedBackend::allgather(
    TensorLists& output, Tensors& input, const c10d::AllgatherOptions& opts) {
  return collective(Operation::kAllGather, describing(input, output, opts),
                    [&] { return inner_->allgather(output, input, opts); });
}

TracedBackend::Work TracedBackend::_allgather_base(
    at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& opts) {
  return collective(
      Operation::kAllGatherIntoTensor, describing(input, output, opts),
      [&] { return inner_->_allgather_base(output, input, opts); });
}

TracedBackend::Work TracedBackend::allgather_coalesced(
    TensorLists& output, Tensors& input, const c10d::AllgatherOptions& opts) {
  return collective(
      Operation::kAllGatherCoalesced, describing(input, output, opts),
      [&] { return inner_->allgather_coalesced(output, input, opts); });
}

TracedBackend::Work TracedBackend::allgather_into_tensor_coalesced(
    Tensors& output, Tensors& input, const c10d::AllgatherOptions& opts) {
  return collective(Operation::kAllGatherIntoTensorCoalesced,
                    describing(input, output, opts), [&] {
                      return inner_->allgather_into_tensor_coalesced(
                          output, input, opts);
                    });
}

TracedBackend::Work TracedBackend::gather(TensorLists& output, Tensors& input,
                                          const c10d::GatherOptions& opts) {
  return collective(Operation::kGather, describing(input, output, opts),
                    [&] { return inner_->gather(output, input, opts); });
}

TracedBackend::Work TracedBackend::scatter(Tensors& output, TensorLists& input,
                                           const c10d::ScatterOptions& opts) {
  return collective(Operation::kScatter, describing(input, output, opts),
                    [&] { return inner_->scatter(output, input, opts); });
}

TracedBackend::Work TracedBackend::reduce_scatter(
    Tensors& output, TensorLists& input,
    const c10d::ReduceScatterOptions& opts) {
  return collective(
      Operation::kReduceScatter, describing(input, output, opts),
      [&] { return inner_->reduce_scatter(output, input, opts); });
}

TracedBackend::Work TracedBackend::_reduce_scatter_base(
    at::Tensor& output, at::Tensor& input,
    const c10d::ReduceScatterOptions& opts) {
  return collective(
      Operation::kReduceScatterTensor, describing(input, output, opts),
      [&] { return inner_->_reduce_scatter_base(output, input, opts); });
}

TracedBackend::Work TracedBackend::reduce_scatter_tensor_coalesced(
    Tensors& output, Tensors& input, const c10d::ReduceScatterOptions& opts) {
  return collective(Operation::kReduceScatterTensorCoalesced,
                    describing(input, output, opts), [&] {
                      return inner_->reduce_scatter_tensor_coalesced(
                          output, input, opts);
                    });
}

TracedBackend::Work TracedBackend::alltoall(Tensors& output, Tensors& input,
                                            const c10d::AllToAllOptions& opts) {
  return collective(Operation::kAllToAll, describing(input, output, opts),
                    [&] { return inner_->alltoall(output, input, opts); });
}

TracedBackend::Work TracedBackend::alltoall_base(
    at::Tensor& output, at::Tensor& input,
    std::vector<std::int64_t>& output_splits,
    std::vector<std::int64_t>& input_splits,
    const c10d::AllToAllOptions& opts) {
  return collective(
      Operation::kAllToAllSingle,
      describingAllToAll(input, output, input_splits, output_splits, opts),
      [&] {
        return inner_->alltoall_base(output, input, output_splits, input_splits,
                                     opts);
      });
}

TracedBackend::Work TracedBackend::barrier(const c10d::BarrierOptions& opts) {
  return collective(
      Operation::kBarrier, [&](auto& call) { call.options(opts); },
      [&] { return inner_->barrier(opts); });
}

void TracedBackend::monitoredBarrier(const c10d::BarrierOptions& opts,
                                     bool wait_all_ranks) {
  collective(
      Operation::kMonitoredBarrier,
      [&](auto& call) {
        call.options(opts);
        call.async(false);
      },
      [&] {
        inner_->monitoredBarrier(opts, wait_all_ranks);
        return Work{};
      });
}

}  // namespace traced
