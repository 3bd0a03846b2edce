// Operations in the timelines of other tools.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ring_io/settings/options.h"

namespace traced {

// NvtxRanges puts operations into the timeline of a tool that listens to NVTX
// (Nsight Systems), as ranges with a structured payload, through the C library
// of NVTX that comes with CUDA.
//
// Thread safety: push() and pop() from any thread; a range belongs to its
// thread. Where no tool listens they cost a few nanoseconds.
class NvtxRanges {
 public:
  static constexpr const char* kLibrary = "libnvtx3interop.so.1";

  // What a range says. The layout is known to NVTX: all are 8 bytes.
  struct Payload {
    const char* operation;
    std::uint64_t group;
    std::uint64_t seq;
    std::uint64_t bytes;
    std::uint64_t op_id;
    const char* labels;
  };

  // nullptr if the library is not there or lacks a function.
  static std::unique_ptr<NvtxRanges> load(const char* library = kLibrary);

  void push(const Payload& payload) const noexcept;
  void pop() const noexcept;

  // The types of NVTX, version 3;
  // tests/unit/recorder/ranges/nvtx_layout_test.cc holds them against its
  // headers.
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
  // Name, type, entries, their number and the size are given.
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

// ToolRanges puts our operations into the timelines of other tools: NVTX
// ranges (TRACED_NVTX), and names for ranges of PyTorch's profiler
// (TRACED_PROFILER_RANGES). And it says whether calls are to be named to NCCL's
// profiler interface (TRACED_NCCL_PROFILER).
class ToolRanges {
 public:
  static bool areWanted(const Options& options) {
    return options.nvtx || options.profiler_ranges || options.nccl_profiler;
  }

  // Says on stderr, once, if NVTX is wanted and not there.
  explicit ToolRanges(const Options& options);

  // nullptr: not wanted, or not there.
  const NvtxRanges* nvtx() const { return nvtx_.get(); }
  bool profilerRanges() const { return profiler_ranges_; }
  bool ncclProfiler() const { return nccl_profiler_; }
  // TRACED_LABELS as they were given.
  const char* labels() const { return labels_.c_str(); }

 private:
  const std::unique_ptr<NvtxRanges> nvtx_;
  const bool profiler_ranges_;
  const bool nccl_profiler_;
  const std::string labels_;
};

}  // namespace traced
