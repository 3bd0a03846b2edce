// One operation of one rank as input of matching, and what is known of
// operations that are not in memory.

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

// One operation of one rank, as input of matching.
struct MatchEntry {
  static constexpr std::int64_t kNoRank = -1;

  std::uint32_t group = GroupCatalog::kNone;
  MatchKind kind = MatchKind::kAlone;
  std::int64_t source = kNoRank;
  std::int64_t destination = kNoRank;
  std::uint64_t seq = 0;
  // Counts operations of one rank with the same key.
  std::uint32_t repeat = 0;
  MatchCell cell;
  // On the common time line.
  std::int64_t issue_ns = 0;

  // Returns the sequence that its number counts: the collectives of a group, or
  // its messages from one rank to another.
  auto line() const { return std::tuple(group, kind, source, destination); }
  // Equal for all entries of a row. Unique for entries of kind kAlone.
  auto key() const {
    const bool alone = kind == MatchKind::kAlone;
    return std::tuple(group, kind, source, destination, seq,
                      alone ? cell.stream : 0, alone ? cell.operation : 0);
  }
};

// Returns the entry of an operation, without its cell. `batches`: those of the
// stream. `taken`: its own number or, for a receive, the number of the message
// that it took.
MatchEntry matchEntryOf(const LoadedRun& run, const LoadedRun::Stream& stream,
                        const Batches& batches, const AssembledOperation& op,
                        std::uint64_t taken);

// NotKept summarizes operations that were read but are not in memory, by the
// ranges of their numbers and times. A row outside these number ranges is
// complete. Before or after the time range, no operations are missing.
class NotKept {
 public:
  // Adds an operation that is not in memory.
  void add(const MatchEntry& entry);

  bool empty() const { return first_ns_ > last_ns_; }
  // Returns whether one of them may belong to the row of this entry.
  bool mayShareRow(const MatchEntry& entry) const;
  // Returns whether one of them may be the group's collective with this number.
  bool mayHaveCollective(std::uint32_t group, std::uint64_t seq) const;
  // Return whether all of them were issued before, or all after, this instant
  // of the common time line.
  bool allBefore(std::int64_t ns) const { return last_ns_ < ns; }
  bool allAfter(std::int64_t ns) const { return first_ns_ > ns; }

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
