// Shows operations in the timelines of other tools.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ring_io/settings/options.h"

namespace traced {

// NvtxRanges shows operations as ranges with a structured payload in tools that
// read NVTX, such as Nsight Systems. It uses CUDA's C library of NVTX.
//
// Thread safety: push() and pop() from any thread; a range belongs to its
// thread. Without a tool attached they cost a few nanoseconds.
class NvtxRanges {
 public:
  static constexpr const char* kLibrary = "libnvtx3interop.so.1";

  // The payload of a range. Its layout is registered with NVTX: every field has
  // 8 bytes.
  struct Payload {
    const char* operation;
    std::uint64_t group;
    std::uint64_t seq;
    std::uint64_t bytes;
    std::uint64_t op_id;
    const char* labels;
  };

  // Returns nullptr if the library is missing or lacks a function.
  static std::unique_ptr<NvtxRanges> load(const char* library = kLibrary);

  // Opens a range on the calling thread. pop() closes the innermost one.
  void push(const Payload& payload) const noexcept;
  void pop() const noexcept;

  // Types of NVTX version 3. tests/unit/recorder/ranges/nvtx_layout_test.cc
  // compares them with NVTX's headers.
  struct Data {
    std::uint64_t schema;
    std::size_t size;
    const void* payload;
  };
  struct Entry {
    std::uint64_t flags;
    std::uint64_t type;
    const char* name;
    const char* description;
    std::uint64_t array_or_union;
    std::uint64_t offset;
    const void* semantics;
    const void* reserved;
  };
  struct Schema {
    std::uint64_t field_mask;
    const char* name;
    std::uint64_t type;
    std::uint64_t flags;
    const Entry* entries;
    std::size_t entry_count;
    std::size_t static_size;
    std::size_t pack_align;
    std::uint64_t schema_id;
    void* extension;
  };
  static constexpr std::uint64_t kUint64 = 18;
  static constexpr std::uint64_t kCString = 75;
  static constexpr std::uint64_t kIsMessage = 1 << 10;
  static constexpr std::uint64_t kStatic = 1;
  // The schema provides name, type, entries, entry count and size.
  static constexpr std::uint64_t kFieldMask =
      1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6;

 private:
  using Domain = void*;
  struct Functions {
    Domain (*create_domain)(const char*);
    std::uint64_t (*register_schema)(Domain, const Schema*);
    int (*push)(Domain, const Data*, std::size_t);
    int (*pop)(Domain);
  };

  explicit NvtxRanges(const Functions& functions);

  const Functions functions_;
  const Domain domain_;
  const std::uint64_t schema_;
};

// ToolRanges provides NVTX ranges (TRACED_NVTX) and names for PyTorch profiler
// ranges (TRACED_PROFILER_RANGES). It also holds whether calls are linked to
// NCCL's profiler interface (TRACED_NCCL_PROFILER).
class ToolRanges {
 public:
  // Returns whether any of these settings is on.
  static bool areWanted(const Options& options) {
    return options.nvtx || options.profiler_ranges || options.nccl_profiler;
  }

  // Warns once on stderr if NVTX is enabled but unavailable.
  explicit ToolRanges(const Options& options);

  // Returns nullptr if NVTX is disabled or unavailable.
  const NvtxRanges* nvtx() const { return nvtx_.get(); }
  bool profilerRanges() const { return profiler_ranges_; }
  bool ncclProfiler() const { return nccl_profiler_; }
  // The text of TRACED_LABELS.
  const char* labels() const { return labels_.c_str(); }

 private:
  const std::unique_ptr<NvtxRanges> nvtx_;
  const bool profiler_ranges_;
  const bool nccl_profiler_;
  const std::string labels_;
};

}  // namespace traced
