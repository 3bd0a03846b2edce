#include "analysis/diagnosis/program/program_habit.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace traced {
namespace {

// Maximum number of equal calls before a place that are compared.
constexpr std::size_t kMaxEqual = 16;
// One earlier occurrence suffices if kLongEnough equal calls precede it.
// Otherwise kTimesEnough occurrences are needed.
constexpr std::size_t kLongEnough = 8;
constexpr std::size_t kTimesEnough = 4;

// Returns how many calls up to `a` equal those up to `b`, counted backwards.
std::size_t equalBefore(const std::vector<ProgramCall>& calls, std::size_t a,
                        std::size_t b, std::uint32_t ProgramCall::*what) {
  std::size_t equal = 0;
  while (equal < kMaxEqual && equal <= a &&
         calls[a - equal].*what == calls[b - equal].*what) {
    ++equal;
  }
  return equal;
}

// Returns how many equal calls must precede a place for it to count as the
// same. Returns 0 if earlier occurrences are insufficient.
std::size_t lengthToAsk(std::vector<std::size_t> equal) {
  if (equal.empty()) return 0;
  std::sort(equal.begin(), equal.end(), std::greater<>());
  if (equal.front() >= kLongEnough) return equal.front();
  return equal.size() < kTimesEnough ? 0 : equal[kTimesEnough - 1];
}

struct Before {
  Habit habit;
  // Number of equal calls required.
  std::size_t length = 0;
  bool always_the_same = true;
};

// Finds earlier visits of a place. The field `place` identifies it, and the
// field `what` compares the call that followed.
std::optional<Before> habitIn(const std::vector<ProgramCall>& calls,
                              std::size_t at, std::uint32_t ProgramCall::*place,
                              std::uint32_t ProgramCall::*what) {
  std::vector<std::size_t> equal(at);
  for (std::size_t i = 0; i < at; ++i) {
    equal[i] = equalBefore(calls, i, at, place);
  }
  Before before;
  before.length = lengthToAsk(equal);
  if (before.length == 0) return std::nullopt;
  Habit& habit = before.habit;
  for (std::size_t i = 0; i < at; ++i) {
    if (equal[i] < before.length) continue;
    before.always_the_same &=
        habit.times == 0 ||
        calls[i + 1].*what == calls[habit.last_time + 1].*what;
    ++habit.times;
    habit.last_time = i;
    if (calls[i + 1].*what == calls[at + 1].*what) ++habit.same;
  }
  return before;
}

}  // namespace

std::optional<Habit> habitAt(const ProgramCalls& program, std::size_t at,
                             std::uint32_t ProgramCall::*what) {
  const std::vector<ProgramCall>& calls = program.calls;
  if (at + 1 >= calls.size()) return std::nullopt;
  if (what != &ProgramCall::kind) {
    const auto exact = habitIn(calls, at, what, what);
    if (exact && exact->length >= kLongEnough && exact->always_the_same) {
      return exact->habit;
    }
  }
  const auto before = habitIn(calls, at, &ProgramCall::kind, what);
  if (!before) return std::nullopt;
  return before->habit;
}

}  // namespace traced
