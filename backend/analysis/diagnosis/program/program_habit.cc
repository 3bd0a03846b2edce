#include "analysis/diagnosis/program/program_habit.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace traced {
namespace {

// So many equal calls before a place make it the same place.
constexpr std::size_t kMostEqual = 16;
// One time is enough where so many came before it; else it takes so many times.
constexpr std::size_t kLongEnough = 8;
constexpr std::size_t kTimesEnough = 4;

// How many calls that end with one are of the same kind as those that end with
// another.
std::size_t equalBefore(const std::vector<ProgramCall>& calls, std::size_t a,
                        std::size_t b) {
  std::size_t equal = 0;
  while (equal < kMostEqual && equal <= a &&
         calls[a - equal].kind == calls[b - equal].kind) {
    ++equal;
  }
  return equal;
}

// How many calls must be equal before a place to be the same; 0: nothing tells.
std::size_t lengthToAsk(std::vector<std::size_t> equal) {
  if (equal.empty()) return 0;
  std::sort(equal.begin(), equal.end(), std::greater<>());
  if (equal.front() >= kLongEnough) return equal.front();
  return equal.size() < kTimesEnough ? 0 : equal[kTimesEnough - 1];
}

}  // namespace

std::optional<Habit> habitAt(const ProgramCalls& program, std::size_t at,
                             std::uint32_t ProgramCall::*what) {
  const std::vector<ProgramCall>& calls = program.calls;
  if (at + 1 >= calls.size()) return std::nullopt;
  std::vector<std::size_t> equal(at);
  for (std::size_t i = 0; i < at; ++i) equal[i] = equalBefore(calls, i, at);
  const std::size_t length = lengthToAsk(equal);
  if (length == 0) return std::nullopt;
  Habit habit;
  for (std::size_t i = 0; i < at; ++i) {
    if (equal[i] < length) continue;
    ++habit.times;
    habit.last_time = i;
    if (calls[i + 1].*what == calls[at + 1].*what) ++habit.same;
  }
  return habit;
}

}  // namespace traced
