// One operation of one rank, as matching sees it.

#pragma once

#include <cstdint>
#include <tuple>

#include "analysis/match/loaded_run.h"
#include "analysis/stream/batches.h"

namespace traced {

// One rank's part in a row.
struct MatchCell {
  std::uint32_t stream = 0;     // index into LoadedRun::streams
  std::uint32_t operation = 0;  // index into its operations
};

enum class MatchKind : std::uint8_t {
  kCollective,
  kPointToPoint,
  kBatch,
  kAlone
};

struct MatchEntry {
  static constexpr std::int64_t kNoRank = -1;

  std::uint32_t group = GroupCatalog::kNone;
  MatchKind kind = MatchKind::kAlone;
  std::int64_t source = kNoRank;
  std::int64_t destination = kNoRank;
  std::uint64_t seq = 0;
  // Numbers the operations of one rank that claim to be the same one.
  std::uint32_t repeat = 0;
  MatchCell cell;
  // On the common time line.
  std::int64_t issue_ns = 0;

  // What its number counts: the collectives of a group, or its messages from
  // one rank to another.
  auto line() const { return std::tuple(group, kind, source, destination); }
  // Equal for the entries of a row. Those of the kind kAlone differ by cell.
  auto key() const {
    const bool alone = kind == MatchKind::kAlone;
    return std::tuple(group, kind, source, destination, seq,
                      alone ? cell.stream : 0, alone ? cell.operation : 0);
  }
};

// `batches`: those of the stream. `taken`: of a receive, the number of the
// message that it took. The cell is left to the caller.
MatchEntry matchEntryOf(const LoadedRun& run, const LoadedRun::Stream& stream,
                        const Batches& batches, const AssembledOperation& op,
                        std::uint64_t taken);

}  // namespace traced
