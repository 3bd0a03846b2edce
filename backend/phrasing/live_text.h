// The sentences of `tracectl serve` about jobs that run. What comes from
// elsewhere in them is not printable() yet.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traced/v1/host_digest.pb.h"

namespace traced {

// Ranks that called the same under a number. `site`: "" where it is not known.
struct CalledAlike {
  std::vector<std::uint32_t> ranks;
  std::string call;
  std::string site;
};

// "number 7 of dp is not the same operation on all ranks: rank 3 calls ...".
std::string divergedText(const std::string& group, std::uint64_t seq,
                         const std::vector<CalledAlike>& sides);
// "rank 3 keeps others waiting: 41.2 % of the time, ...".
std::string stragglerText(const v1::Straggler& late);
// "transfers between ranks 1-2 are slow: a message of 64 KiB ...".
std::string slowPeerText(const v1::SlowPeer& slow);
// "ranks 0-2 have been in all_reduce 7 of dp for 12.3 s; rank 3 has not called
// it".
std::string waitingText(const std::string& group, const v1::Waiting& waiting,
                        const std::vector<std::uint32_t>& not_called);
// The warning about a host that does not answer.
std::string silentHostText(const std::string& address, double silent_s,
                           const std::string& problem);

}  // namespace traced
