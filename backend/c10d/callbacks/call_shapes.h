// CallShapes collects the shapes and types of the tensors of one call. It has
// the same functions as CallDescriber (c10d/wrapper/describe.h), so one lambda
// describes a call to both.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace traced {

class CallShapes {
 public:
  struct Tensor {
    std::vector<std::int64_t> shape;
    at::ScalarType type;
  };

  // `tensors`: a tensor, a list, or a list of lists.
  template <typename Tensors>
  void inputs(const Tensors& tensors) {
    add(tensors, inputs_);
  }
  template <typename Tensors>
  void outputs(const Tensors& tensors) {
    add(tensors, outputs_);
  }
  void inPlace(const std::vector<at::Tensor>& tensors) {
    inputs(tensors);
    outputs_ = inputs_;
  }

  void peer(int, int) {}
  void anyPeer(int) {}
  void splits(const std::vector<std::int64_t>&,
              const std::vector<std::int64_t>&) {}
  // The device of a tensor has precedence.
  template <typename Options>
  void options(const Options& options) {
    if constexpr (requires { options.device; }) {
      if (!device_) device_ = options.device;
    }
  }
  void async(bool) {}

  // Lists of lists are one list here.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  std::optional<at::Device> device() const { return device_; }

 private:
  void add(const at::Tensor& tensor, std::vector<Tensor>& list) {
    if (!tensor.defined()) return;
    if (!device_) device_ = tensor.device();
    list.push_back({tensor.sizes().vec(), tensor.scalar_type()});
  }
  template <typename Element>
  void add(const std::vector<Element>& elements, std::vector<Tensor>& list) {
    for (const Element& element : elements) add(element, list);
  }

  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::optional<at::Device> device_;
};

}  // namespace traced
