#include "c10d/wrapper/describe.h"

#include <ATen/SparseTensorImpl.h>

#include "c10d/values/dtype.h"
#include "c10d/values/storage_address.h"

namespace traced {
namespace {

DeviceType toDeviceType(at::DeviceType type) {
  switch (type) {
    case at::kCPU:
      return DeviceType::kCpu;
    case at::kCUDA:
      return DeviceType::kCuda;
    case at::kXPU:
      return DeviceType::kXpu;
    case at::kMeta:
      return DeviceType::kMeta;
    default:
      return DeviceType::kOther;
  }
}

ReduceOp toReduceOp(const c10d::ReduceOp& op) {
  switch (op.op_) {
    case c10d::ReduceOp::SUM:
      return ReduceOp::kSum;
    case c10d::ReduceOp::AVG:
      return ReduceOp::kAvg;
    case c10d::ReduceOp::PRODUCT:
      return ReduceOp::kProduct;
    case c10d::ReduceOp::MIN:
      return ReduceOp::kMin;
    case c10d::ReduceOp::MAX:
      return ReduceOp::kMax;
    case c10d::ReduceOp::BAND:
      return ReduceOp::kBand;
    case c10d::ReduceOp::BOR:
      return ReduceOp::kBor;
    case c10d::ReduceOp::BXOR:
      return ReduceOp::kBxor;
    case c10d::ReduceOp::PREMUL_SUM:
      return ReduceOp::kPremulSum;
    default:
      return ReduceOp::kOther;
  }
}

// Returns the bytes of a tensor. A sparse tensor consists of values and
// indices.
std::uint64_t byteSize(const at::Tensor& tensor) {
  if (tensor.layout() == at::kSparse) {
    const auto* impl =
        static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
    return impl->values().nbytes() + impl->indices().nbytes();
  }
  return static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
}

// Returns the bytes from the first element of a strided tensor to the end of
// its last.
std::uint64_t spanBytes(const at::Tensor& tensor, std::uint64_t bytes,
                        std::uint64_t element_bytes) {
  if (bytes == 0 || tensor.is_contiguous()) return bytes;
  const at::IntArrayRef sizes = tensor.sizes();
  const at::IntArrayRef strides = tensor.strides();
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    last += static_cast<std::uint64_t>((sizes[i] - 1) * strides[i]);
  }
  return (last + 1) * element_bytes;
}

}  // namespace

void CallDescriber::touch(const at::Tensor& tensor, std::uint64_t bytes) {
  device(tensor.device());
  if (!tensor.has_storage()) return;
  const std::uint64_t element_bytes = tensor.element_size();
  buffers_.add(
      {reinterpret_cast<std::uint64_t>(storageAddress(tensor)),
       static_cast<std::uint64_t>(tensor.storage_offset()) * element_bytes,
       spanBytes(tensor, bytes, element_bytes)});
}

void CallDescriber::inputs(const at::Tensor& tensor) {
  if (!tensor.defined()) return;
  const std::uint64_t bytes = byteSize(tensor);
  const at::IntArrayRef sizes = tensor.sizes();
  call_.addInput(toDType(tensor.scalar_type()), {sizes.data(), sizes.size()},
                 bytes);
  touch(tensor, bytes);
}

void CallDescriber::outputs(const at::Tensor& tensor) {
  if (!tensor.defined()) return;
  const std::uint64_t bytes = byteSize(tensor);
  const at::IntArrayRef sizes = tensor.sizes();
  call_.addOutput(toDType(tensor.scalar_type()), {sizes.data(), sizes.size()},
                  bytes);
  touch(tensor, bytes);
}

void CallDescriber::inputs(const Tensors& tensors) {
  for (const at::Tensor& tensor : tensors) inputs(tensor);
}

void CallDescriber::outputs(const Tensors& tensors) {
  for (const at::Tensor& tensor : tensors) outputs(tensor);
}

void CallDescriber::inputs(const TensorLists& lists) {
  for (const Tensors& tensors : lists) inputs(tensors);
}

void CallDescriber::outputs(const TensorLists& lists) {
  for (const Tensors& tensors : lists) outputs(tensors);
}

void CallDescriber::inPlace(const Tensors& tensors) {
  call_.fields().in_place = true;
  inputs(tensors);
}

void CallDescriber::reduceOp(const c10d::ReduceOp& op) {
  call_.fields().reduce_op = toReduceOp(op);
}

void CallDescriber::root(std::int64_t group_rank) {
  const auto rank = static_cast<std::int32_t>(group_rank);
  call_.fields().root = rank;
  call_.fields().root_global = group_.toGlobal(rank);
}

void CallDescriber::peer(int group_rank, int tag) {
  call_.fields().peer = group_rank;
  call_.fields().peer_global = group_.toGlobal(group_rank);
  anyPeer(tag);
}

void CallDescriber::anyPeer(int tag) {
  call_.fields().has_tag = true;
  call_.fields().tag = tag;
}

void CallDescriber::splits(const std::vector<std::int64_t>& in,
                           const std::vector<std::int64_t>& out) {
  call_.addSplits(in, out);
}

void CallDescriber::device(at::Device device) {
  if (call_.fields().device != DeviceType::kNone) return;
  call_.fields().device = toDeviceType(device.type());
  call_.fields().device_index = device.index();
}

}  // namespace traced
