// CollectiveTable matches the collectives of one group by their sequence
// number. Ranks are added one after the other, and each compares its calls only
// with those of the earlier ranks. Memory grows with the number of collectives,
// not with collectives times ranks.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "analysis/job/seq_table.h"

namespace traced {

// SeqRanges is a set of sequence numbers, kept as ranges.
class SeqRanges {
 public:
  struct Range {
    std::uint64_t first;
    std::uint64_t last;
  };

  // Adds a number or an inclusive range. Must be called in ascending order.
  void add(std::uint64_t seq) { add(seq, seq); }
  void add(std::uint64_t first, std::uint64_t last) {
    if (!ranges_.empty() && ranges_.back().last + 1 == first) {
      ranges_.back().last = last;
    } else {
      ranges_.push_back({first, last});
    }
  }

  bool contains(std::uint64_t seq) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), seq,
                         [](std::uint64_t value, const Range& range) {
                           return value < range.first;
                         });
    return after != ranges_.begin() && std::prev(after)->last >= seq;
  }

  bool empty() const { return ranges_.empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

// How far an operation got on a rank.
enum class Reached : std::uint8_t {
  kEnded,
  kFailed,
  // It has not ended: its end would have been recorded.
  kInside,
  // Like kInside if its thread waits for it. Only that wait would have recorded
  // the end, and the thread may wait for another operation or do something
  // else.
  kPerhapsInside,
  // A device executes it, and nothing could observe its end.
  kUnseen,
  // Nothing could observe its end, or it has none.
  kNotObserved,
};

// Returns whether the rank is, or may be, inside the operation.
inline bool isInside(Reached reached) {
  return reached == Reached::kInside || reached == Reached::kPerhapsInside;
}

// One rank's call of a collective.
struct Joining {
  std::uint64_t seq = 0;
  std::uint32_t signature = 0;
  Reached reached = Reached::kNotObserved;
  // Whether the call is an all-to-all with recorded splits, and its share of a
  // sum that is 0 if all ranks agree. See split_matrix.h.
  bool gives_splits = false;
  std::uint64_t split_share = 0;
};

// The ranks that called a collective with the same signature.
struct Variant {
  std::uint32_t signature = 0;
  std::uint32_t count = 0;
  SeqRanges ranks;
};

// The sum of the split shares of all ranks that recorded splits.
struct SplitSum {
  std::uint32_t givers = 0;
  std::uint64_t sum = 0;
};

// A backend's counters of one rank's collectives in a group. Collectives up to
// `completed` have ended, and those beyond `enqueued` were not called.
struct Counters {
  std::uint64_t completed = 0;
  std::uint64_t enqueued = 0;
};

// One member's progress in the group.
struct MemberProgress {
  std::uint32_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  // Numbers between `first` and `last` that its trace lacks: lost, or used
  // while tracing was off.
  SeqRanges holes;
  SeqRanges failed;
  SeqRanges inside;
  SeqRanges not_observed;
  // The subset of `not_observed` that a device executes.
  SeqRanges unseen;
  // The backend's counters, which may cover collectives without a record.
  std::optional<Counters> counters;

  // Returns whether its trace has the operation.
  bool joined(std::uint64_t seq) const {
    return first > 0 && seq >= first && seq <= last && !holes.contains(seq);
  }
  // Returns the last collective it called, according to its records or its
  // backend's counters.
  std::uint64_t lastCalled() const {
    return std::max(last, counters ? counters->enqueued : 0);
  }
  // Returns the last collective before the first that is not recorded as ended.
  // Collectives of a group end in order. Returns 0 if none.
  std::uint64_t lastEnded() const;
  // Returns the first collective it called that has not ended although its end
  // would have been observed. Returns 0 if none.
  std::uint64_t firstUnended() const;
  // Returns whether the member is inside collective `seq`, which it must have
  // called.
  bool isInside(std::uint64_t seq) const;
  // Returns whether collective `seq` is known to have ended on this member.
  bool hasEnded(std::uint64_t seq) const {
    return counters ? seq <= counters->completed
                    : joined(seq) && !isInside(seq) && !failed.contains(seq) &&
                          !not_observed.contains(seq);
  }
};

class CollectiveTable {
 public:
  // The signature of a collective that nobody joined.
  static constexpr std::uint32_t kNoSignature = ~std::uint32_t{0};

  // Starts a member. Members must be added in ascending order of rank.
  void startMember(std::uint32_t rank) { members_.emplace_back().rank = rank; }
  // Adds an operation of the current member, in ascending order of `seq`.
  // Ignores repeated numbers.
  void join(const Joining& joining) {
    MemberProgress& member = members_.back();
    const bool is_next = member.first != 0 && joining.seq == member.last + 1;
    const bool is_plain =
        joining.reached == Reached::kEnded && !joining.gives_splits;
    // Fast path: most operations are the next one, ended and called like the
    // others.
    if (is_next && is_plain &&
        signatures_.at(joining.seq) == joining.signature + 1) {
      member.last = joining.seq;
    } else {
      joinSlowPath(joining);
    }
  }

  struct CountedRank {
    std::uint32_t rank = 0;
    Counters counters;
  };
  // Sets the counters of the ranks' backends. Adds ranks without a record. Call
  // once, after all records.
  void count(const std::vector<CountedRank>& counted);

  const std::vector<MemberProgress>& members() const { return members_; }
  // Returns nullptr if the rank's trace has nothing of the group.
  const MemberProgress* member(std::uint32_t rank) const;

  bool hasRecords() const { return !signatures_.empty(); }
  // Returns the smallest number that any rank joined. Requires hasRecords().
  std::uint64_t firstSeq() const { return signatures_.first(); }
  // Returns whether at least two ranks joined collective `seq`.
  bool severalJoined(std::uint64_t seq) const;
  // Return the signature called by the first rank that joined, and by one given
  // rank. Return kNoSignature if no trace shows it.
  std::uint32_t signatureOf(std::uint64_t seq) const;
  std::uint32_t signatureOn(std::uint64_t seq, std::uint32_t rank) const;
  // Returns each signature that some rank called, ascending.
  std::vector<std::uint32_t> distinctSignatures() const;

  // The collectives that ranks called with different signatures. The variant of
  // the first rank that joined is first.
  using Disputes = absl::btree_map<std::uint64_t, std::vector<Variant>>;
  const Disputes& disputes() const { return disputes_; }
  // Returns the split sums of the collectives with recorded splits.
  const SeqTable<SplitSum>& splits() const { return splits_; }

 private:
  // Adds the rank if it has no record.
  MemberProgress& memberOf(std::uint32_t rank);

  static constexpr std::uint32_t kNew = 0;
  static constexpr std::uint32_t kDisputed = ~std::uint32_t{0};

  // Adds an operation in the general case.
  void joinSlowPath(const Joining& joining);
  // Records that the current member's signature differs from `called`, the
  // previous value in `signatures_`.
  void dispute(std::uint64_t seq, std::uint32_t called,
               std::uint32_t signature);

  // The common signature plus 1, or kDisputed.
  SeqTable<std::uint32_t> signatures_;
  Disputes disputes_;
  SeqTable<SplitSum> splits_;
  std::vector<MemberProgress> members_;
};

}  // namespace traced
