// CollectiveTable matches the collectives of one group by their sequence
// number. Ranks are added one after the other, and each only adds to counts:
// memory grows with the collectives, and not with the ranks of each.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/seq_ranges.h"

namespace traced {

// How far an operation got on a rank.
enum class Reached : std::uint8_t {
  kEnded,
  kFailed,
  // It has not ended, and its end would have been seen.
  kInside,
  // Nobody could observe its end.
  kNotObserved,
};

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

struct Collective {
  static constexpr std::uint32_t kAgreed = ~std::uint32_t{0};

  std::uint64_t seq = 0;
  std::uint32_t joined = 0;
  std::uint32_t ended = 0;
  std::uint32_t failed = 0;
  std::uint32_t split_givers = 0;
  std::uint64_t split_sum = 0;
  // Of all who joined, while they agree.
  std::uint32_t signature = 0;
  // Else where the variants are.
  std::uint32_t variants = kAgreed;
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

  // Whether its trace has the operation.
  bool joined(std::uint64_t seq) const {
    return seq >= first && seq <= last && !holes.contains(seq);
  }
};

class CollectiveTable {
 public:
  // Begins with a member. Members come in ascending order of rank.
  void startMember(std::uint32_t rank);
  // Its operations, in ascending order of seq; a number that is repeated is
  // ignored.
  void join(const Joining& joining);

  // Puts the collectives into the order of their numbers.
  void finish();

  const std::vector<Collective>& collectives() const { return collectives_; }
  const std::vector<MemberProgress>& members() const { return members_; }
  // nullptr for a rank whose trace has nothing of the group.
  const MemberProgress* member(std::uint32_t rank) const;
  // Only after finish(); nullptr when nobody joined.
  const Collective* find(std::uint64_t seq) const;
  // What was called and by whom; one entry when all agree.
  std::vector<Variant> variantsOf(const Collective& collective) const;
  // What a rank called; Collective::kAgreed when its trace does not say.
  std::uint32_t signatureOn(const Collective& collective,
                            std::uint32_t rank) const;

 private:
  Collective& place(std::uint64_t seq);
  void addVariant(Collective& collective, std::uint32_t signature);

  std::vector<Collective> collectives_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> index_by_seq_;
  std::vector<std::vector<Variant>> variants_;
  std::vector<MemberProgress> members_;
  // Index of the collective after the one joined last.
  std::size_t next_ = 0;
};

}  // namespace traced
