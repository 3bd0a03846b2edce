// Converts a call's arguments (tensors, options) into the numbers that the
// recorder stores. Reads no tensor data and dispatches no torch operation.

#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <vector>

#include "recorder/recorded_group.h"
#include "ring_io/ring/call_description.h"

namespace traced {

using Tensors = std::vector<at::Tensor>;
using TensorLists = std::vector<std::vector<at::Tensor>>;

// Describes one call. Add inputs before outputs.
class CallDescriber {
 public:
  CallDescriber(Operation op, const RecordedGroup& group)
      : group_(group), call_(op, group.id()) {}

  void inputs(const at::Tensor& tensor);
  void inputs(const Tensors& tensors);
  void inputs(const TensorLists& lists);
  void outputs(const at::Tensor& tensor);
  void outputs(const Tensors& tensors);
  void outputs(const TensorLists& lists);
  // Adds tensors that are both input and output.
  void inPlace(const Tensors& tensors);

  // Sets the other side of a message. `group_rank` is its rank in the group.
  void peer(int group_rank, int tag);
  // Sets a receive from any rank of the group.
  void anyPeer(int tag);
  // Sets the split sizes of an all-to-all, along dimension 0.
  void splits(const std::vector<std::int64_t>& in,
              const std::vector<std::int64_t>& out);

  // Adds all known fields that the options of this call have. Call it after
  // the tensors, whose device has precedence over that of the options.
  template <typename Options>
  void options(const Options& options) {
    timeout(options.timeout);
    if constexpr (requires { options.asyncOp; }) async(options.asyncOp);
    if constexpr (requires { options.reduceOp; }) reduceOp(options.reduceOp);
    if constexpr (requires { options.rootRank; }) root(options.rootRank);
    if constexpr (requires { options.device; }) {
      if (options.device) device(*options.device);
    }
  }
  void async(bool async_op) { call_.fields().async_plus_1 = async_op ? 2 : 1; }
  // Marks the call as captured into the graph with this capture id.
  void graph(std::uint64_t graph) { call_.fields().graph_plus_1 = graph + 1; }
  void simulated(bool simulated) { call_.fields().simulated = simulated; }

  const CallDescription& call() const { return call_; }
  const BufferList& buffers() const { return buffers_; }

 private:
  // Adds the tensor's device, and its buffer if it has a storage. `bytes`: size
  // of its elements.
  void touch(const at::Tensor& tensor, std::uint64_t bytes);
  void reduceOp(const c10d::ReduceOp& op);
  void root(std::int64_t group_rank);
  // Sets the device of the call, unless it is already set.
  void device(at::Device device);
  void timeout(std::chrono::milliseconds timeout) {
    call_.fields().timeout_ms = timeout.count();
  }

  const RecordedGroup& group_;
  BufferList buffers_;
  CallDescription call_;
};

// Describe a collective from inputs to outputs, or in place.
template <typename In, typename Out, typename Options>
auto describing(const In& inputs, const Out& outputs, const Options& options) {
  return [&](auto& call) {
    call.inputs(inputs);
    call.outputs(outputs);
    call.options(options);
  };
}

// Like describing(), with split sizes.
inline auto describingAllToAll(const at::Tensor& input,
                               const at::Tensor& output,
                               const std::vector<std::int64_t>& input_splits,
                               const std::vector<std::int64_t>& output_splits,
                               const c10d::AllToAllOptions& options) {
  return [&](auto& call) {
    describing(input, output, options)(call);
    call.splits(input_splits, output_splits);
  };
}

template <typename Options>
auto describingInPlace(const Tensors& tensors, const Options& options) {
  return [&](auto& call) {
    call.inPlace(tensors);
    call.options(options);
  };
}

}  // namespace traced
