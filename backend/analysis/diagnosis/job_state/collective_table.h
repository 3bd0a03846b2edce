// CollectiveTable matches the collectives of one group by their sequence
// number. Ranks are added one after the other, and each only compares what it
// called with what was called before: memory grows with the collectives, and
// not with the ranks of each.

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

  // In ascending order.
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
  // It has not ended, and its end would have been seen.
  kInside,
  // The same, if its thread waits for it: it may wait for another one, or do
  // something else, and only that wait would have shown the end.
  kPerhapsInside,
  // A device carries it out, and nobody could observe its end.
  kUnseen,
  // Nobody could observe its end, or it has none.
  kNotObserved,
};

inline bool isInside(Reached reached) {
  return reached == Reached::kInside || reached == Reached::kPerhapsInside;
}

// One rank's part in a collective.
struct Joining {
  std::uint64_t seq = 0;
  std::uint32_t signature = 0;
  Reached reached = Reached::kNotObserved;
  // The splits of an all-to-all that gives them: its share of the sum that is 0
  // when all ranks agree. See split_matrix.h.
  bool gives_splits = false;
  std::uint64_t split_share = 0;
};

// Those who called a collective with one signature.
struct Variant {
  std::uint32_t signature = 0;
  std::uint32_t count = 0;
  // Ranks.
  SeqRanges ranks;
};

// What all who gave splits to a collective gave together.
struct SplitSum {
  std::uint32_t givers = 0;
  std::uint64_t sum = 0;
};

// How far a backend had come with a rank's collectives of a group, as it counts
// them: those up to `completed` have ended, those beyond `enqueued` were not
// called.
struct Counters {
  std::uint64_t completed = 0;
  std::uint64_t enqueued = 0;
};

// What one member did in the group.
struct MemberProgress {
  std::uint32_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  // Numbers in between that are not in its trace: lost, or drawn while tracing
  // was off.
  SeqRanges holes;
  SeqRanges failed;
  SeqRanges inside;
  SeqRanges not_observed;
  // Of these, those that a device carries out.
  SeqRanges unseen;
  // What its backend counted, whether or not there is a record of it.
  std::optional<Counters> counters;

  // Whether its trace has the operation.
  bool joined(std::uint64_t seq) const {
    return first > 0 && seq >= first && seq <= last && !holes.contains(seq);
  }
  // The last one it called, by its records or by its backend's counters.
  std::uint64_t lastCalled() const {
    return std::max(last, counters ? counters->enqueued : 0);
  }
  // The first one that it called and that is not known to have ended, of those
  // whose end would have been seen; 0 where there is none.
  std::uint64_t firstUnended() const;
  // Of one that it called.
  bool isInside(std::uint64_t seq) const;
  bool hasEnded(std::uint64_t seq) const {
    return counters ? seq <= counters->completed
                    : joined(seq) && !isInside(seq) && !failed.contains(seq) &&
                          !not_observed.contains(seq);
  }
};

class CollectiveTable {
 public:
  // Of a collective that nobody joined.
  static constexpr std::uint32_t kNoSignature = ~std::uint32_t{0};

  // Begins with a member. Members come in ascending order of rank.
  void startMember(std::uint32_t rank) { members_.emplace_back().rank = rank; }
  // Its operations, in ascending order of seq; a number that is repeated is
  // ignored.
  void join(const Joining& joining) {
    MemberProgress& member = members_.back();
    const bool is_next = member.first != 0 && joining.seq == member.last + 1;
    const bool is_plain =
        joining.reached == Reached::kEnded && !joining.gives_splits;
    // Most of what is joined is just that.
    if (is_next && is_plain &&
        signatures_.at(joining.seq) == joining.signature + 1) {
      member.last = joining.seq;
    } else {
      joinAnyhow(joining);
    }
  }

  // What a rank's backend counted. After all have joined.
  void count(std::uint32_t rank, const Counters& counters);

  const std::vector<MemberProgress>& members() const { return members_; }
  // nullptr for a rank whose trace has nothing of the group.
  const MemberProgress* member(std::uint32_t rank) const;

  bool hasRecords() const { return !signatures_.empty(); }
  // The least number that anybody joined; only when there are records.
  std::uint64_t firstSeq() const { return signatures_.first(); }
  bool severalJoined(std::uint64_t seq) const;
  // What was called by the first who joined, and by one of the ranks, if its
  // trace says so.
  std::uint32_t signatureOf(std::uint64_t seq) const;
  std::uint32_t signatureOn(std::uint64_t seq, std::uint32_t rank) const;

  // Of collectives that not all called alike: what was called and by whom, that
  // of the first who joined first.
  using Disputes = absl::btree_map<std::uint64_t, std::vector<Variant>>;
  const Disputes& disputes() const { return disputes_; }
  // Of collectives to which splits were given.
  const SeqTable<SplitSum>& splits() const { return splits_; }

 private:
  static constexpr std::uint32_t kNew = 0;
  static constexpr std::uint32_t kDisputed = ~std::uint32_t{0};

  void joinAnyhow(const Joining& joining);
  void dispute(std::uint64_t seq, std::uint32_t called,
               std::uint32_t signature);

  // What all called, plus 1, or kDisputed.
  SeqTable<std::uint32_t> signatures_;
  Disputes disputes_;
  SeqTable<SplitSum> splits_;
  std::vector<MemberProgress> members_;
};

}  // namespace traced
