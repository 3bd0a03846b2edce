// Sentences for `tracectl serve` about running jobs. Names from traces and
// hosts are not printable() yet.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traced/v1/host_digest.pb.h"

namespace traced {

// Ranks that called the same operation under one sequence number. `site` is the
// call site; "" if it is unknown.
struct CalledAlike {
  std::vector<std::uint32_t> ranks;
  std::string call;
  std::string site;
};

// Returns, for example, "number 7 of dp is not the same operation on all ranks:
// rank 3 calls ...".
std::string divergedText(const std::string& group, std::uint64_t seq,
                         const std::vector<CalledAlike>& sides);
// Returns, for example, "rank 3 keeps others waiting: 41.2 % of the time, ...".
std::string stragglerText(const v1::Straggler& late);
// Returns, for example, "transfers between ranks 1-2 are slow: a message of 64
// KiB ...".
std::string slowPeerText(const v1::SlowPeer& slow);
// Returns, for example, "ranks 0-2 have been in all_reduce #7 of dp for 12.3 s;
// rank 3 has not called it".
std::string waitingText(const std::string& group, const v1::Waiting& waiting,
                        const std::vector<std::uint32_t>& not_called);
// Returns the warning about a host that does not answer. `silent_s` is in
// seconds.
std::string silentHostText(const std::string& address, double silent_s,
                           const std::string& problem);

}  // namespace traced
