// NvtxRanges shows operations as ranges with a structured payload in tools that
// read NVTX, such as Nsight Systems. It uses CUDA's C library of NVTX.
//
// Thread safety: any thread; a range belongs to its thread. Without a tool
// attached its functions cost a few nanoseconds.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace traced {

class NvtxRanges {
 public:
  static constexpr const char* kLibrary = "libnvtx3interop.so.1";

  // A string that NVTX keeps.
  using Registered = void*;

  // The payload of a range. Its layout is registered with NVTX: every field has
  // 8 bytes. Texts are "" if unknown.
  struct Payload {
    const char* operation = "";
    std::uint64_t rank = 0;
    const char* group = "";
    std::uint64_t group_id = 0;  // Group.id in the trace
    std::uint64_t group_size = 0;
    Registered group_ranks = nullptr;
    std::uint64_t seq = 0;    // 0: not numbered
    std::uint64_t batch = 0;  // 0: none
    std::uint64_t bytes = 0;
    const char* device = "";
    std::int64_t peer = -1;  // global ranks, or -1
    std::int64_t root = -1;
    const char* source_line = "";
    // As in the trace: equal on all ranks of the operation.
    const char* correlation_id = "";
    std::uint64_t op_id = 0;
    std::uint64_t time_ns = 0;  // CLOCK_REALTIME
    const char* labels = "";
  };

  // Returns nullptr if the library is missing or lacks a function.
  static std::unique_ptr<NvtxRanges> load(const char* library = kLibrary);

  // Opens a range on the calling thread. pop() closes the innermost one.
  void push(const Payload& payload) const noexcept;
  void pop() const noexcept;
  // Marks an instant with a text, outside of the domain.
  void mark(const char* text) const noexcept { functions_.mark(text); }
  Registered registerText(const char* text) const noexcept {
    return functions_.register_text(domain_, text);
  }

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
  static constexpr std::uint64_t kInt64 = 17;
  static constexpr std::uint64_t kUint64 = 18;
  static constexpr std::uint64_t kCString = 75;
  static constexpr std::uint64_t kRegistered = 80;
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
    void (*mark)(const char*);
    Registered (*register_text)(Domain, const char*);
  };

  explicit NvtxRanges(const Functions& functions);

  const Functions functions_;
  const Domain domain_;
  const std::uint64_t schema_;
};

}  // namespace traced
