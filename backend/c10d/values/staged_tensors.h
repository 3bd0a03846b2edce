// StagedTensors copies the tensors that are read at one moment from a device to
// the host. The copies are queued on the caller's stream.

#pragma once

#include <map>
#include <optional>

#include "c10d/values/tensor_memory.h"
#include "c10d/values/tensor_parts.h"
#include "recorder/device/device_copies.h"

namespace traced {

class StagedTensors {
 public:
  // For tensors on the device of `copies`, which must never be destroyed.
  explicit StagedTensors(DeviceCopies& copies) noexcept;

  // The caller's stream; nullopt if unknown.
  std::optional<DeviceCopies::Stream> stream() const { return stream_; }
  // Replaces tensors on the device by tensors of the host, or notes why that is
  // impossible. These have their content, and memory, while the reader runs. No
  // reference to a tensor of the program is kept. `contiguous`: other tensors
  // are not needed. May throw.
  void stage(PartList& list, bool contiguous);
  // Last call. Calls `reader` once: in another thread when the content has
  // arrived or is lost, or here if nothing was copied.
  void whenArrived(DeviceCopies::Reader reader) noexcept;

 private:
  void stage(TensorPart& part, bool contiguous);
  // Returns an undefined tensor if it cannot be copied.
  at::Tensor copyOf(const at::Tensor& tensor, const TensorSpan& span);

  std::optional<DeviceCopies::Stream> stream_;
  std::optional<DeviceCopies::Batch> batch_;
  SkipReason unavailable_ = SkipReason::kNotCopied;  // without a batch
  // By the tensor on the device, because several parts share a copy. An
  // undefined tensor was not copied.
  std::map<const at::TensorImpl*, at::Tensor> staged_;
};

}  // namespace traced
