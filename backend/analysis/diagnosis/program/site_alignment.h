// Aligns the calls of two ranks in one group by call site and signature. Calls
// with equal signatures match silently, so only call sites show an extra call
// of one rank.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace traced {

struct SiteCall {
  // 0 if not recorded, which equals any site.
  std::uint32_t site = 0;
  std::uint32_t word = 0;
  // The training step plus 1. 0 if not recorded, which equals any step.
  std::uint64_t step_plus_1 = 0;

  // Returns whether the words are equal, and the sites too unless one of them
  // is unknown.
  bool agreesWith(const SiteCall& other) const {
    return word == other.word &&
           (site == other.site || site == 0 || other.site == 0);
  }
  // Returns whether the steps are equal, or one of them is unknown.
  bool isInStepOf(const SiteCall& other) const {
    return step_plus_1 == other.step_plus_1 || step_plus_1 == 0 ||
           other.step_plus_1 == 0;
  }
  // Ignores the step.
  bool operator==(const SiteCall& other) const {
    return site == other.site && word == other.word;
  }
};
using SiteCalls = std::vector<SiteCall>;

// Calls that one rank made and the other did not.
struct Insertion {
  // Whether the first of the two ranks made them.
  bool by_first = false;
  // Index of the first inserted call, the same in both sequences, which agree
  // up to there.
  std::size_t at = 0;
  // Number of consecutive inserted calls at `at`, and of all inserted calls.
  std::size_t length = 0;
  std::size_t count = 0;
  // The rank had never made any of them before.
  bool are_new = false;
  // The sequences are explained equally well by other lines for as few calls.
  bool may_be_another_line = false;
  // They are not, but no earlier call shows what usually follows.
  bool has_no_history = false;
};

// Finds an insertion. Both sequences must start with the same number. Pairs of
// call sites that the ranks already had count as habit, not as a difference.
// Absent unless a few insertions on one side explain the rest of the shorter
// sequence.
std::optional<Insertion> findInsertion(const SiteCalls& first,
                                       const SiteCalls& second);

// Returns whether the last calls that both ranks made have equal signatures but
// different call sites, which no earlier call paired. Without later calls,
// findInsertion() cannot detect this difference.
bool lastCallsDiffer(const SiteCalls& first, const SiteCalls& second);

}  // namespace traced
