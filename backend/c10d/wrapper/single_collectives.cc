// Newer names that torch 2.15 gives some collectives. The trace uses the same
// operation and name as for the old ones.

#include "c10d/wrapper/record_call.h"

#ifdef TRACED_BACKEND_HAS_all_gather_single

namespace traced {

TracedBackend::Work TracedBackend::all_gather_single(
    at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& opts) {
  return collective(
      Operation::kAllGatherIntoTensor, describing(input, output, opts),
      [&] { return inner_->all_gather_single(output, input, opts); });
}

TracedBackend::Work TracedBackend::all_gather_single_coalesced(
    Tensors& output, Tensors& input, const c10d::AllgatherOptions& opts) {
  return collective(
      Operation::kAllGatherIntoTensorCoalesced, describing(input, output, opts),
      [&] { return inner_->all_gather_single_coalesced(output, input, opts); });
}

TracedBackend::Work TracedBackend::gather_single(
    at::Tensor& output, at::Tensor& input, const c10d::GatherOptions& opts) {
  return collective(Operation::kGatherIntoTensor,
                    describing(input, output, opts),
                    [&] { return inner_->gather_single(output, input, opts); });
}

TracedBackend::Work TracedBackend::gather_into_tensor(
    at::Tensor& output, at::Tensor& input, const c10d::GatherOptions& opts) {
  return collective(
      Operation::kGatherIntoTensor, describing(input, output, opts),
      [&] { return inner_->gather_into_tensor(output, input, opts); });
}

TracedBackend::Work TracedBackend::reduce_scatter_single(
    at::Tensor& output, at::Tensor& input,
    const c10d::ReduceScatterOptions& opts) {
  return collective(
      Operation::kReduceScatterTensor, describing(input, output, opts),
      [&] { return inner_->reduce_scatter_single(output, input, opts); });
}

TracedBackend::Work TracedBackend::reduce_scatter_single_coalesced(
    Tensors& output, Tensors& input, const c10d::ReduceScatterOptions& opts) {
  return collective(Operation::kReduceScatterTensorCoalesced,
                    describing(input, output, opts), [&] {
                      return inner_->reduce_scatter_single_coalesced(
                          output, input, opts);
                    });
}

TracedBackend::Work TracedBackend::all_to_all_single(
    at::Tensor& output, at::Tensor& input,
    std::vector<std::int64_t>& output_splits,
    std::vector<std::int64_t>& input_splits,
    const c10d::AllToAllOptions& opts) {
  return collective(
      Operation::kAllToAllSingle,
      describingAllToAll(input, output, input_splits, output_splits, opts),
      [&] {
        return inner_->all_to_all_single(output, input, output_splits,
                                         input_splits, opts);
      });
}

}  // namespace traced

#endif
