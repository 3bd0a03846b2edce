#include "c10d/values/staged_tensors.h"

#include <ATen/core/Tensor.h>

#include <utility>

namespace traced {
namespace {

// Returns a tensor of the host.
at::Tensor onHost(char* memory, std::size_t bytes, caffe2::TypeMeta dtype) {
  c10::Storage storage(c10::Storage::use_byte_size_t(), bytes,
                       at::DataPtr(memory, at::kCPU), /*allocator=*/nullptr,
                       /*resizable=*/false);
  return at::detail::make_tensor<at::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), dtype);
}

}  // namespace

StagedTensors::StagedTensors(DeviceCopies& copies) noexcept {
  const DeviceTimes::StreamState state = copies.streamState();
  stream_ = state.stream;
  if (state.capture.status != DeviceEvents::Capture::Status::kNone) {
    unavailable_ = SkipReason::kCaptured;
  } else if (stream_) {
    if (auto batch = copies.begin(*stream_)) {
      batch_.emplace(std::move(*batch));
    }
  }
}

void StagedTensors::stage(PartList& list, bool contiguous) {
  for (TensorPart& part : list.parts) {
    if (part.skipped == SkipReason::kNone) {
      stage(part, contiguous);
    } else {
      part.tensor = onHost(nullptr, 0, part.tensor.dtype());
    }
  }
}

void StagedTensors::stage(TensorPart& part, bool contiguous) {
  const at::Tensor on_device = part.tensor;
  const TensorSpan span = spanOf(on_device, at::kCUDA);
  part.tensor = onHost(nullptr, 0, on_device.dtype());
  part.skipped = span.skipped;
  if (part.skipped != SkipReason::kNone) return;
  if (contiguous && !on_device.is_contiguous()) {
    part.skipped = SkipReason::kNotContiguous;
    return;
  }
  if (!batch_) {
    part.skipped = unavailable_;
    return;
  }
  const auto [found, is_new] =
      staged_.try_emplace(on_device.unsafeGetTensorImpl());
  if (is_new) found->second = copyOf(on_device, span);
  if (found->second.defined()) {
    part.tensor = found->second;
  } else {
    part.skipped = SkipReason::kNotCopied;
  }
}

at::Tensor StagedTensors::copyOf(const at::Tensor& tensor,
                                 const TensorSpan& span) {
  char* memory = nullptr;
  if (span.bytes > 0) {
    memory = batch_->copy(span.first, span.bytes);
    if (!memory) return {};
  }
  at::Tensor copy = onHost(memory, span.bytes, tensor.dtype());
  copy.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(),
                                                    tensor.strides());
  return copy;
}

void StagedTensors::whenArrived(DeviceCopies::Reader reader) noexcept {
  staged_.clear();
  if (!batch_) return reader(true);
  batch_->whenArrived(std::move(reader));
  batch_.reset();
}

}  // namespace traced
