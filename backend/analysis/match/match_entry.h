// One operation of one rank, as matching sees it, and what is known of those
// that are not in memory.

#pragma once

#include <cstdint>
#include <limits>
#include <tuple>

#include "absl/container/flat_hash_map.h"
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

// One operation of one rank, as matching sees it.
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

// NotKept knows of operations that were read and are not in memory how far
// their numbers and times reach. A row whose number is not among them has all
// its parts; what lies behind all of them, or before, is all there is there.
class NotKept {
 public:
  void add(const MatchEntry& entry);

  bool empty() const { return first_ns_ > last_ns_; }
  // Whether one of them may belong to the row of this entry.
  bool mayShareRow(const MatchEntry& entry) const;
  // Whether one of them may be the collective of a group with this number.
  bool mayHaveCollective(std::uint32_t group, std::uint64_t seq) const;
  // Whether all of them were issued before this instant of the common time
  // line, or all behind it.
  bool allBefore(std::int64_t ns) const { return last_ns_ < ns; }
  bool allBehind(std::int64_t ns) const { return first_ns_ > ns; }

 private:
  using Line = decltype(MatchEntry().line());
  struct Numbers {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
  };

  bool mayHave(const Line& line, std::uint64_t seq) const;

  absl::flat_hash_map<Line, Numbers> numbers_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace traced
