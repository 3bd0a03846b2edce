#include "c10d/values/tensor_memory.h"

#include "c10d/values/dtype.h"
#include "c10d/values/storage_address.h"
#include "values/block_hash.h"
#include "values/strided_memory.h"

namespace traced {
namespace {

// Returns the number of elements from the first one to the last one in memory.
// Requires elements.
std::int64_t elementsSpanned(const at::Tensor& tensor) {
  std::int64_t last = 0;
  for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
    last += (tensor.size(dim) - 1) * tensor.stride(dim);
  }
  return last + 1;
}

SkipReason whyUnreadable(const at::Tensor& tensor, at::DeviceType where) {
  if (tensor.device().type() == at::kMeta) return SkipReason::kNoMemory;
  if (tensor.device().type() != where) return SkipReason::kDevice;
  if (tensor.layout() != at::kStrided || tensor.is_conj() || tensor.is_neg()) {
    return SkipReason::kLayout;
  }
  return tensor.has_storage() ? SkipReason::kNone : SkipReason::kNoMemory;
}

// Visits the memory of a part. Returns the reason if it cannot.
SkipReason forEachPiece(
    const TensorPart& part,
    const std::function<void(const char*, std::size_t)>& visit) {
  if (part.skipped != SkipReason::kNone) return part.skipped;
  const at::Tensor& tensor = part.tensor;
  const TensorSpan span = spanOf(tensor, at::kCPU);
  if (span.skipped != SkipReason::kNone || part.begin == part.end) {
    return span.skipped;
  }
  const std::size_t element_bytes = tensor.element_size();
  if (tensor.is_non_overlapping_and_dense()) {
    visit(span.first + static_cast<std::size_t>(part.begin) * element_bytes,
          byteSize(part));
    return SkipReason::kNone;
  }
  const at::IntArrayRef sizes = tensor.sizes();
  const at::IntArrayRef strides = tensor.strides();
  forEachPiece(StridedMemory{span.first,
                             element_bytes,
                             {sizes.data(), sizes.size()},
                             {strides.data(), strides.size()}},
               visit);
  return SkipReason::kNone;
}

// A part with a sum is one piece.
PartHash hashOfPieces(const TensorPart& part, bool with_sum) {
  const DType dtype = toDType(part.tensor.scalar_type());
  BlockHash hash;
  PartHash result;
  result.skipped =
      forEachPiece(part, [&](const char* piece, std::size_t bytes) {
        hash.add(piece, bytes);
        if (!with_sum || !hasSignedSum(dtype)) return;
        result.sum =
            signedSum(dtype, piece, bytes / part.tensor.element_size());
      });
  if (result.skipped == SkipReason::kNone) result.hash = hash.value();
  return result;
}

}  // namespace

std::uint64_t byteSize(const TensorPart& part) {
  return static_cast<std::uint64_t>(part.end - part.begin) *
         part.tensor.element_size();
}

TensorSpan spanOf(const at::Tensor& tensor, at::DeviceType where) {
  const SkipReason unreadable = whyUnreadable(tensor, where);
  if (unreadable != SkipReason::kNone || tensor.numel() == 0) {
    return {unreadable, nullptr, 0};
  }
  const c10::StorageImpl& storage =
      *tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  const char* const memory = storageAddress(tensor);
  const auto element_bytes = static_cast<std::int64_t>(tensor.element_size());
  const std::int64_t offset = tensor.storage_offset() * element_bytes;
  const std::int64_t bytes = elementsSpanned(tensor) * element_bytes;
  if (!memory || offset + bytes > static_cast<std::int64_t>(storage.nbytes())) {
    return {SkipReason::kNoMemory, nullptr, 0};
  }
  return {SkipReason::kNone, memory + offset, static_cast<std::size_t>(bytes)};
}

PartHash hashOf(const TensorPart& part, bool with_sum) {
  if (part.skipped != SkipReason::kNone) return {part.skipped, 0};
  const SkipReason unreadable = whyUnreadable(part.tensor, at::kCPU);
  if (unreadable != SkipReason::kNone) return {unreadable, 0};
  if (!part.tensor.is_contiguous()) return {SkipReason::kNotContiguous, 0};
  return hashOfPieces(part, with_sum);
}

PartHash hashOf(const at::Tensor& tensor) {
  return hashOfPieces({tensor, 0, 0, 0, tensor.numel()}, /*with_sum=*/false);
}

TensorStatistics statisticsOf(const TensorPart& whole) {
  const DType dtype = toDType(whole.tensor.scalar_type());
  TensorStatistics result;
  if (!hasStatistics(dtype)) {
    result.skipped = SkipReason::kDtype;
    return result;
  }
  const std::size_t element_bytes = whole.tensor.element_size();
  result.skipped =
      forEachPiece(whole, [&](const char* piece, std::size_t bytes) {
        result.statistics += statisticsOf(dtype, piece, bytes / element_bytes);
      });
  return result;
}

}  // namespace traced
