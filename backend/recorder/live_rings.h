// What the rings of a running job hold that its traces do not have yet, read
// without touching anything.
//
// The writer thread appends to a trace about once a second, and does not when
// it is stopped or its disk hangs. The ring says what happened since, and
// whether the process lives.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace traced {

struct LiveRing {
  std::string path;
  std::uint64_t stream_id = 0;
  std::uint32_t rank = 0;
  std::int64_t pid = 0;
  bool alive = false;
  // To be read behind its trace. Of a process that lives they say that nothing
  // else had been recorded when they were read; of one that does not, that it
  // was killed. "" when the trace went on meanwhile.
  std::string chunks;
};

// Of segments below `directories` whose trace is one of `traces` or lies below
// one of these directories; those that cannot be read are left out.
std::vector<LiveRing> lookIntoRings(const std::vector<std::string>& directories,
                                    const std::vector<std::string>& traces);

}  // namespace traced
