// CallTensors collects the tensors of one call, its splits and its root. It has
// the same functions as CallDescriber (c10d/wrapper/describe.h), so one lambda
// describes a call to both.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <vector>

namespace traced {

class CallTensors {
 public:
  using Tensors = std::vector<at::Tensor>;
  using TensorLists = std::vector<Tensors>;

  void inputs(const at::Tensor& tensor) { inputs_ = {{aliasOf(tensor)}}; }
  void inputs(const Tensors& tensors) { inputs_ = {aliasesOf(tensors)}; }
  void inputs(const TensorLists& lists) { inputs_ = aliasesOf(lists); }
  void outputs(const at::Tensor& tensor) { outputs_ = {{aliasOf(tensor)}}; }
  void outputs(const Tensors& tensors) { outputs_ = {aliasesOf(tensors)}; }
  void outputs(const TensorLists& lists) { outputs_ = aliasesOf(lists); }
  void inPlace(const Tensors& tensors) {
    inputs_ = outputs_ = {aliasesOf(tensors)};
  }

  void peer(int, int) {}
  void anyPeer(int) {}
  void splits(const std::vector<std::int64_t>& in,
              const std::vector<std::int64_t>& out) {
    split_in_ = in;
    split_out_ = out;
  }
  template <typename Options>
  void options(const Options& options) {
    if constexpr (requires { options.rootRank; }) root_ = options.rootRank;
    if constexpr (requires { options.reduceOp; }) {
      adds_up_ = options.reduceOp == c10d::ReduceOp::SUM;
    }
  }
  void async(bool) {}

  // Returns a tensor with the same memory, whose sizes and storage the program
  // cannot change. Tensors with Python code of their own are not copied.
  static at::Tensor aliasOf(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.key_set().has(c10::DispatchKey::Python)) {
      return tensor;
    }
    return at::Tensor(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(
        c10::VariableVersion(0), /*allow_tensor_metadata_change=*/false));
  }

  bool empty() const { return inputs_.empty() && outputs_.empty(); }
  // Returns whether an output shares its storage with an input. The operation
  // may then change the input.
  bool sharesStorage() const {
    for (const Tensors& outputs : outputs_) {
      for (const at::Tensor& output : outputs) {
        if (isOfInput(output)) return true;
      }
    }
    return false;
  }
  // Returns the CUDA device that has all tensors.
  std::optional<int> cudaDevice() const {
    std::optional<int> device;
    for (const TensorLists* side : {&inputs_, &outputs_}) {
      for (const Tensors& tensors : *side) {
        for (const at::Tensor& tensor : tensors) {
          if (!tensor.defined()) continue;
          if (!tensor.is_cuda()) return std::nullopt;
          const int index = tensor.get_device();
          if (device.value_or(index) != index) return std::nullopt;
          device = index;
        }
      }
    }
    return device;
  }
  // Lists as the call has them. A single tensor is a list of one.
  const TensorLists& inputLists() const { return inputs_; }
  const TensorLists& outputLists() const { return outputs_; }
  // Split sizes of an all-to-all along dimension 0. Empty: even.
  const std::vector<std::int64_t>& splitIn() const { return split_in_; }
  const std::vector<std::int64_t>& splitOut() const { return split_out_; }
  // Rank in the group.
  std::optional<std::int64_t> root() const { return root_; }
  // Whether the result is the sum of the inputs.
  bool addsUp() const { return adds_up_; }

 private:
  static Tensors aliasesOf(const Tensors& tensors) {
    Tensors aliases;
    for (const at::Tensor& tensor : tensors) aliases.push_back(aliasOf(tensor));
    return aliases;
  }
  static TensorLists aliasesOf(const TensorLists& lists) {
    TensorLists aliases;
    for (const Tensors& tensors : lists) aliases.push_back(aliasesOf(tensors));
    return aliases;
  }
  static const void* storageOf(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) return nullptr;
    return tensor.unsafeGetTensorImpl()
        ->unsafe_storage()
        .unsafeGetStorageImpl();
  }
  bool isOfInput(const at::Tensor& output) const {
    const void* const storage = storageOf(output);
    for (const Tensors& inputs : inputs_) {
      for (const at::Tensor& input : inputs) {
        if (storage && storageOf(input) == storage) return true;
      }
    }
    return false;
  }

  TensorLists inputs_;
  TensorLists outputs_;
  std::vector<std::int64_t> split_in_;
  std::vector<std::int64_t> split_out_;
  std::optional<std::int64_t> root_;
  bool adds_up_ = false;
};

}  // namespace traced
