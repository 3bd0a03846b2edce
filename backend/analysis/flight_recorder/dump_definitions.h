// Turns what the entries of a dump name into definitions, the same only once:
// calls, and where in the program they were made.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/document.h"
#include "analysis/flight_recorder/dump.h"
#include "base/code_kind.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Where an entry's group stands, and who is in it.
struct DumpGroupRef {
  std::uint32_t id = 0;
  // nullptr when the dump does not name the members.
  const DumpGroup* group = nullptr;
  // Group ranks are global ranks.
  bool is_world = false;
};

// DumpCalls turns calls into definitions. Not thread safe. The payload must
// outlive it.
class DumpCalls {
 public:
  // `dump_bytes` bounds how much is read of lists that are named repeatedly.
  DumpCalls(v1::Payload& payload, std::uint64_t dump_bytes)
      : payload_(payload), budget_(kWorkPerByte * dump_bytes) {}

  // The id of the call that an entry is about.
  std::uint32_t add(const DumpEntry& entry, const DumpGroupRef& group);

 private:
  static constexpr std::uint64_t kWorkPerByte = 16;

  struct Tensors {
    std::uint32_t count = 0;
    std::uint32_t cut = 0;
    std::uint64_t bytes = 0;
  };
  using Runs = google::protobuf::RepeatedPtrField<v1::TensorRun>;

  Tensors addTensors(Value sizes, Value dtypes, Runs& runs);
  bool describe(Value shape, Value dtype_name, v1::TensorRun& run,
                std::uint64_t& bytes);

  v1::Payload& payload_;
  std::uint64_t budget_;
  absl::flat_hash_map<std::string, std::uint32_t> id_by_call_;
};

// DumpSites tells where in the program the entries of a Flight Recorder dump
// were called, by the frames that the recorder gathered.
//
// Adds stacks to the payload, which outlives it, with ids from 1 on.
class DumpSites {
 public:
  // A dump may name few frames and texts many times: what is looked at and what
  // is made of it stay in proportion to its bytes.
  DumpSites(v1::Payload& payload, std::uint64_t dump_bytes);

  // The id of the stack for a list of frames, the innermost first: its call
  // site, and the package that this called through. 0 where there is none.
  std::uint32_t add(Value frames);

 private:
  // File, function and line; a file that is empty: none.
  using Place = std::tuple<std::string_view, std::string_view, std::int64_t>;
  struct Site {
    Place program;
    Place package;
    bool operator==(const Site&) const = default;
    template <typename H>
    friend H AbslHashValue(H state, const Site& site) {
      return H::combine(std::move(state), site.program, site.package);
    }
  };

  Site siteOf(Value frames);
  static void tell(const Place& place, v1::Frame& frame);

  v1::Payload& payload_;
  std::uint64_t frames_left_;
  std::uint64_t text_bytes_left_;
  absl::flat_hash_map<Site, std::uint32_t> ids_;
};

// Whose code a frame is, by its file. C++ code is a library's.
CodeKind dumpedCodeOf(std::string_view file);

}  // namespace traced
