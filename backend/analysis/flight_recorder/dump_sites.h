// DumpSites tells where in the program the entries of a Flight Recorder dump
// were called, by the frames that the recorder gathered.

#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/document.h"
#include "base/code_kind.h"
#include "traced/v1/trace.pb.h"

namespace traced {

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
