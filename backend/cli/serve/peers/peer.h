// What is known of another host's `serve`.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "traced/v1/host_digest.pb.h"

namespace traced {

struct Peer {
  // "node7:9464": where it is asked.
  std::string address;
  // What it told last; nullptr: nothing, or so long ago that it counts no more.
  std::shared_ptr<const v1::HostDigest> digest;
  // Since it last answered, or since it is known of.
  double silent_s = 0;
  // Why it does not answer; "": it does.
  std::string problem;
  // Of its last answer, and of all.
  std::uint64_t bytes = 0;
  std::uint64_t all_bytes = 0;
};

}  // namespace traced
