// Aligns what two ranks called in one group, by call site and signature: equal
// signatures pair silently, and then only the call sites show that one rank
// made a call more than the other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace traced {

struct SiteCall {
  // 0: not recorded, which differs from nothing.
  std::uint32_t site = 0;
  std::uint32_t word = 0;
  // The training step plus 1; 0: not recorded, which differs from nothing.
  std::uint64_t step_plus_1 = 0;

  bool agreesWith(const SiteCall& other) const {
    return word == other.word &&
           (site == other.site || site == 0 || other.site == 0);
  }
  bool isInStepOf(const SiteCall& other) const {
    return step_plus_1 == other.step_plus_1 || step_plus_1 == 0 ||
           other.step_plus_1 == 0;
  }
  // In any step.
  bool operator==(const SiteCall& other) const {
    return site == other.site && word == other.word;
  }
};
using SiteCalls = std::vector<SiteCall>;

// The calls that one rank made and the other did not.
struct Insertion {
  // Whether the first of the two ranks made them.
  bool by_first = false;
  // Index of the first one in the calls of both, which agree until there.
  std::size_t at = 0;
  // How many were made without a break, and all together.
  std::size_t length = 0;
  std::size_t count = 0;
  // Who made them had made none of them before.
  bool are_new = false;
  // Other lines for as few calls explain the sequences, too.
  bool may_be_another_line = false;
  // They do not, but no call before shows what usually follows.
  bool has_no_history = false;
};

// The calls of both begin with the same number. A pair of call sites that the
// ranks had before is their habit and no difference. Absent where the rest of
// the shorter one does not follow from a few insertions, all on one side.
std::optional<Insertion> findInsertion(const SiteCalls& first,
                                       const SiteCalls& second);

// Whether the last calls that both made differ in their call sites as none did
// before: nothing behind them shows an insertion.
bool lastCallsDiffer(const SiteCalls& first, const SiteCalls& second);

}  // namespace traced
