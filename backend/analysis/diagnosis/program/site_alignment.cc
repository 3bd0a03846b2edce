#include "analysis/diagnosis/program/site_alignment.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace traced {
namespace {

// Maximum number of calls that one rank may have made more than the other.
constexpr std::size_t kMaxInserted = 8;
// Maximum number of differences that are tried as the first one.
constexpr std::size_t kMaxTries = 64;

class Alignment {
 public:
  Alignment(const SiteCalls& first, const SiteCalls& second)
      : first_(first), second_(second) {}

  std::optional<Insertion> find() {
    std::size_t tries = 0;
    // An insertion must directly follow a call that agrees.
    bool agreed = true;
    for (std::size_t i = 0; i < both() && tries < kMaxTries; ++i) {
      const bool agreed_before = std::exchange(agreed, true);
      if (agree(first_[i], second_[i], true)) continue;
      agreed = false;
      ++tries;
      if (!agreed_before) {
        learn(i);
        continue;
      }
      auto by_first = insertionAt(i, true);
      auto by_second = insertionAt(i, false);
      if (by_first.has_value() != by_second.has_value()) {
        Insertion found = by_first ? *by_first : *by_second;
        if (explainsBest(found)) return found;
      }
      learn(i);
    }
    return std::nullopt;
  }

  bool lastDiffer() {
    for (std::size_t i = 0; i + 1 < both(); ++i) learn(i);
    if (both() == 0) return false;
    const SiteCall& a = first_[both() - 1];
    const SiteCall& b = second_[both() - 1];
    return a.word == b.word && !agree(a, b, true);
  }

 private:
  using Key = std::uint64_t;

  std::size_t both() const { return std::min(first_.size(), second_.size()); }

  static Key keyOf(const SiteCall& call) {
    return Key{call.site} << 32 | call.word;
  }

  // Returns whether a call of each rank agree, directly or by habit.
  bool agree(const SiteCall& a, const SiteCall& b, bool a_is_first) const {
    if (a.agreesWith(b)) return true;
    return a_is_first ? habits_.contains({keyOf(a), keyOf(b)})
                      : habits_.contains({keyOf(b), keyOf(a)});
  }

  void learn(std::size_t i) {
    if (first_[i].word != second_[i].word) return;
    habits_.insert({keyOf(first_[i]), keyOf(second_[i])});
  }

  // Checks whether the shorter sequence from `at` on is contained in the longer
  // one, within equal steps. Calls left out must be few, and the first of them
  // must be at `at`.
  std::optional<Insertion> insertionAt(std::size_t at, bool by_first) const {
    const SiteCalls& longer = by_first ? first_ : second_;
    const SiteCalls& shorter = by_first ? second_ : first_;
    Insertion found{.by_first = by_first, .at = at};
    bool matched = false;
    std::size_t next = at;
    for (std::size_t i = at; i < shorter.size() && next < longer.size(); ++i) {
      const std::size_t began = next;
      while (next < longer.size() &&
             !(longer[next].isInStepOf(shorter[i]) &&
               agree(longer[next], shorter[i], by_first))) {
        ++next;
      }
      found.count += next - began;
      if (next == longer.size() && next > began) return std::nullopt;
      if (found.count > kMaxInserted) return std::nullopt;
      if (i == at) found.length = found.count;
      matched = true;
      ++next;
    }
    if (!matched) return std::nullopt;
    return found;
  }

  // Compares the insertion with the alternative that some calls were simply
  // made at other lines. Returns whether the insertion is at least as good.
  // Sets the fields of `found`.
  bool explainsBest(Insertion& found) const {
    std::size_t differ = 0;
    for (std::size_t i = found.at; i < both(); ++i) {
      if (!agree(first_[i], second_[i], true)) ++differ;
    }
    const bool any_agree = differ < both() - found.at;
    found.are_new = areNew(found);
    if (differ < found.count && (any_agree || !found.are_new)) return false;
    const std::optional<bool> follows = followsAnyway(found);
    found.may_be_another_line =
        (any_agree && differ == found.count) || follows.value_or(false);
    found.has_no_history = !follows && differ <= found.count;
    return true;
  }

  // Returns whether the inserting rank had never made these calls before.
  bool areNew(const Insertion& found) const {
    const SiteCalls& calls = found.by_first ? first_ : second_;
    const auto at = calls.begin() + static_cast<std::ptrdiff_t>(found.at);
    return std::none_of(at, at + static_cast<std::ptrdiff_t>(found.length),
                        [&](const SiteCall& call) {
                          return std::find(calls.begin(), at, call) != at;
                        });
  }

  // Returns whether the call after the insertion also followed earlier,
  // directly after the call that the other rank made last. Absent if no earlier
  // call shows that.
  std::optional<bool> followsAnyway(const Insertion& found) const {
    const SiteCalls& longer = found.by_first ? first_ : second_;
    const SiteCalls& shorter = found.by_first ? second_ : first_;
    const std::size_t next = found.at + found.length;
    if (next >= longer.size() || next > shorter.size()) return true;
    bool was_made = found.at == 0;
    bool is_shown = false;
    for (std::size_t i = 0; i < found.at; ++i) {
      if (!agree(longer[i], shorter[next - 1], found.by_first)) continue;
      was_made = true;
      if (i + 1 == found.at) break;
      is_shown = true;
      if (longer[i + 1] == longer[next]) return true;
    }
    return is_shown || !was_made ? std::optional(false) : std::nullopt;
  }

  const SiteCalls& first_;
  const SiteCalls& second_;
  absl::flat_hash_set<std::pair<Key, Key>> habits_;
};

}  // namespace

std::optional<Insertion> findInsertion(const SiteCalls& first,
                                       const SiteCalls& second) {
  return Alignment(first, second).find();
}

bool lastCallsDiffer(const SiteCalls& first, const SiteCalls& second) {
  return Alignment(first, second).lastDiffer();
}

}  // namespace traced
