// DumpSites tells where in the program the entries of a Flight Recorder dump
// were called, by the frames that the recorder gathered.

#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/document.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Adds stacks to the payload, which outlives it, with ids from 1 on.
class DumpSites {
 public:
  // A dump may name few frames and texts many times: what is looked at and what
  // is made of it stay in proportion to its bytes.
  DumpSites(v1::Payload& payload, std::uint64_t dump_bytes);

  // The id of the stack for a list of frames, the innermost first: of it that
  // of the program's own that is nearest to the call. 0 where there is none.
  std::uint32_t add(Value frames);

 private:
  // File, function and line.
  using Site = std::tuple<std::string_view, std::string_view, std::int64_t>;

  v1::Payload& payload_;
  std::uint64_t frames_left_;
  std::uint64_t text_bytes_left_;
  absl::flat_hash_map<Site, std::uint32_t> ids_;
};

// Whether a frame is of the program, and not of torch, of this tracer, or of
// C++ code.
bool isOfProgram(std::string_view file);

}  // namespace traced
