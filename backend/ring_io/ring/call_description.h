// CallDescription encodes a call as numbers.
//
// The caller fills it on its stack. Two calls with equal bytes() are the same
// call and share an id (ring_io/ring/definition_cache.h). Nothing here
// allocates.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/operation.h"

namespace traced {

class CallDescription {
 public:
  // Tensors (as runs of equal ones) and split sizes share this many words.
  // Excess ones are dropped and counted.
  static constexpr std::size_t kMaxWords = 512;
  static constexpr std::size_t kMaxDims = 64;

  // A run's head word holds the dtype, the number of dims and the number of
  // equal tensors.
  static constexpr int kDimsShift = 8;
  static constexpr int kCountShift = 16;

  static constexpr std::int32_t kNoRank = -1;

  // Plain numbers only. The counts describe the words that follow.
  struct Fields {
    Operation op{};
    ReduceOp reduce_op{};
    DeviceType device{};
    std::uint8_t async_plus_1 = 0;  // 0 unknown, 1 sync, 2 async
    std::int8_t device_index = 0;   // c10 device index
    bool simulated = false;
    bool in_place = false;
    bool has_tag = false;
    std::uint32_t group = 0;
    std::int32_t root = kNoRank;
    std::int32_t root_global = kNoRank;
    std::int32_t peer = kNoRank;
    std::int32_t peer_global = kNoRank;
    std::int32_t tag = 0;
    std::int64_t timeout_ms = -1;  // negative: no own timeout
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint32_t tensors_in = 0;
    std::uint32_t tensors_out = 0;
    std::uint32_t tensors_cut = 0;
    std::uint32_t input_words = 0;
    std::uint32_t output_words = 0;
    std::uint32_t split_in = 0;
    std::uint32_t split_out = 0;
    std::uint32_t splits_cut = 0;
    std::uint64_t graph_plus_1 = 0;  // 0: not captured
  };

  // Equal calls must be equal byte by byte, so Fields must have no padding.
  static_assert(std::has_unique_object_representations_v<Fields> &&
                sizeof(Fields) % sizeof(std::int64_t) == 0);

  CallDescription(Operation op, std::uint32_t group) {
    fields_.op = op;
    fields_.group = group;
  }

  Fields& fields() { return fields_; }
  const Fields& fields() const { return fields_; }

  // Add inputs first, then outputs, then splits. `bytes` is numel x element
  // size. Splits are in elements of dimension 0.
  void addInput(DType dtype, std::span<const std::int64_t> shape,
                std::uint64_t bytes) {
    ++fields_.tensors_in;
    fields_.bytes_in += bytes;
    addTensor(dtype, shape, fields_.input_words);
  }
  void addOutput(DType dtype, std::span<const std::int64_t> shape,
                 std::uint64_t bytes) {
    ++fields_.tensors_out;
    fields_.bytes_out += bytes;
    addTensor(dtype, shape, fields_.output_words);
  }
  void addSplits(std::span<const std::int64_t> in,
                 std::span<const std::int64_t> out) {
    fields_.split_in = appendSplits(in);
    fields_.split_out = appendSplits(out);
  }

  // Returns the identity of the call: the fields and the used words.
  const void* bytes() const { return &fields_; }
  std::size_t byteSize() const {
    return sizeof fields_ + used_ * sizeof(std::int64_t);
  }

 private:
  // Adds a tensor to the section's last run or to a new one. A run is a head
  // word (dtype, dims, count) and its dims.
  // `section_words` counts the words of the section. `last_` is the start of
  // its last run.
  void addTensor(DType dtype, std::span<const std::int64_t> shape,
                 std::uint32_t& section_words) {
    if (section_words != 0 && sameAsLast(dtype, shape)) {
      words_[last_] += std::int64_t{1} << kCountShift;
      return;
    }
    if (shape.size() > kMaxDims || used_ + 1 + shape.size() > kMaxWords) {
      ++fields_.tensors_cut;
      return;
    }
    last_ = used_;
    words_[used_++] = headWord(dtype, shape.size());
    for (std::int64_t dim : shape) words_[used_++] = dim;
    section_words += static_cast<std::uint32_t>(1 + shape.size());
  }

  bool sameAsLast(DType dtype, std::span<const std::int64_t> shape) const {
    constexpr std::int64_t kIdentity = (std::int64_t{1} << kCountShift) - 1;
    return fields_.tensors_cut == 0 &&
           (words_[last_] & kIdentity) ==
               (headWord(dtype, shape.size()) & kIdentity) &&
           (shape.empty() || std::memcmp(&words_[last_ + 1], shape.data(),
                                         shape.size_bytes()) == 0);
  }

  std::uint32_t appendSplits(std::span<const std::int64_t> splits) {
    std::size_t kept = splits.size();
    if (used_ + kept > kMaxWords) kept = kMaxWords - used_;
    for (std::size_t i = 0; i < kept; ++i) words_[used_++] = splits[i];
    fields_.splits_cut += static_cast<std::uint32_t>(splits.size() - kept);
    return static_cast<std::uint32_t>(kept);
  }

  static std::int64_t headWord(DType dtype, std::size_t dims) {
    return static_cast<std::int64_t>(dtype) |
           static_cast<std::int64_t>(dims) << kDimsShift |
           std::int64_t{1} << kCountShift;
  }

  // These members precede words_, next to its used part. The memory after the
  // used part is in no cache.
  std::size_t used_ = 0;
  std::size_t last_ = 0;
  Fields fields_;
  std::int64_t words_[kMaxWords];  // only the first used_ are set
};

// Holds the memory that a call accesses: one range per tensor, inputs first.
class BufferList {
 public:
  static constexpr std::size_t kMaxRanges = 16;

  struct Range {
    std::uint64_t storage;  // address of the storage's first byte
    std::uint64_t offset_bytes;
    std::uint64_t span_bytes;
  };

  void add(const Range& range) {
    if (head_.count == kMaxRanges) {
      ++head_.cut;
    } else {
      ranges_[head_.count++] = range;
    }
  }

  bool empty() const { return head_.count == 0; }
  const void* bytes() const { return &head_; }
  std::size_t byteSize() const {
    return sizeof head_ + head_.count * sizeof(Range);
  }

  struct Head {
    std::uint32_t count = 0;
    std::uint32_t cut = 0;
  };

 private:
  Head head_;
  Range ranges_[kMaxRanges];
};

}  // namespace traced
