// AssembledOperation is everything one id of a stream collects, over all its
// chunks. See docs/format.md, "Rows".

#pragma once

#include <cstdint>

#include "analysis/stream/instant.h"
#include "traced/v1/rows.pb.h"

namespace traced {

// Which row an error's text came from; what was said first counts.
enum class ErrorOrigin : std::uint8_t { kReturn, kDone, kWait, kNone };

enum class OperationState { kIssued, kEnded, kFailed };

struct AssembledOperation {
  static constexpr std::uint32_t kNoCall = ~std::uint32_t{0};

  std::uint64_t id = 0;
  std::uint64_t seq = 0;    // 0: not known
  std::uint64_t batch = 0;  // 0: none
  Instant issued;
  Instant returned;
  Instant started;
  Instant ended;
  Instant wait_began;
  Instant wait_ended;
  Instant released;
  std::uint64_t stall_ns_plus_1 = 0;
  // Index into StreamDefinitions::calls().
  std::uint32_t call = kNoCall;
  // Ids of definitions of the stream, 0: none.
  std::uint32_t buffers = 0;
  std::uint32_t thread = 0;
  std::uint32_t context = 0;
  std::uint32_t stack = 0;
  std::uint32_t error = 0;
  // Group rank that a receive from any source turned out to come from.
  std::uint32_t source_rank_plus_1 = 0;
  // How the communication library carried it out: ids of texts, 0: it did not
  // say, kSeveral: in several ways. And the most channels that it took.
  std::uint32_t algorithm = 0;
  std::uint32_t protocol = 0;
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};
  std::uint16_t channels = 0;
  v1::EndSource end_source = v1::END_SOURCE_UNSPECIFIED;
  ErrorOrigin error_origin = ErrorOrigin::kNone;
  bool failed = false;
  // It is no longer under way, and how and when it ended is not known.
  bool over = false;

  OperationState state() const {
    if (failed) return OperationState::kFailed;
    return ended.known() ? OperationState::kEnded : OperationState::kIssued;
  }
};

}  // namespace traced
