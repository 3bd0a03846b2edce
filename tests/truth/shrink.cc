#include "truth/shrink.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "truth/trial.h"

namespace traced::truth {
namespace {

constexpr std::chrono::seconds kMaxDuration(10);

bool stillLies(const Program& program, const std::string& check,
               const std::string& folder) {
  const Lies lies = judgeAnswers(perform(program, folder)).lies;
  return std::any_of(lies.begin(), lies.end(),
                     [&](const Lie& lie) { return lie.check == check; });
}

// Removes the last rank. Returns false if the fault needs that rank.
bool dropLastRank(Program& program) {
  if (program.world <= 2) return false;
  const std::uint32_t last = --program.world;
  if (program.fault.rank == last) return false;
  for (Role& role : program.roles) {
    for (Ranks& group : role.groups) std::erase(group, last);
    std::erase_if(role.groups,
                  [](const Ranks& group) { return group.empty(); });
    if (role.groups.empty()) return false;
  }
  return true;
}

// Returns all programs that are smaller by one thing.
std::vector<Program> smaller(const Program& program) {
  std::vector<Program> all;
  const auto add = [&](auto&& change) {
    Program one = program;
    change(one);
    all.push_back(std::move(one));
  };
  Program fewer = program;
  if (dropLastRank(fewer)) all.push_back(fewer);
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    if (program.items.size() == 1) break;
    add([i](Program& one) {
      one.items.erase(one.items.begin() + static_cast<std::ptrdiff_t>(i));
    });
  }
  for (const std::uint32_t steps : {program.steps / 2, program.steps - 1}) {
    if (steps > 0 && steps < program.steps) {
      add([steps](Program& one) { one.steps = steps; });
    }
  }
  if (program.own_groups) {
    add([](Program& one) { one.own_groups = false; });
  }
  if (program.fault.step > 0) {
    add([](Program& one) { one.fault.step /= 2; });
    add([](Program& one) { --one.fault.step, --one.steps; });
  }
  if (program.fault.kind != FaultKind::kNone) {
    add([](Program& one) { one.fault = {}; });
  }
  if (program.ranks_per_host < program.world) {
    add([](Program& one) { one.ranks_per_host = one.world; });
  }
  add([](Program& one) { one.variation.killed_at_percent = 0; });
  add([](Program& one) { one.variation.missing /= 2; });
  add([](Program& one) { one.variation.lost_chunk = false; });
  add([](Program& one) { one.variation.recovered = true; });
  add([](Program& one) { one.variation.merged = false; });
  add([](Program& one) { one.variation.beside_older = false; });
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    add([i](Program& one) { one.features.reset(i); });
  }
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    add([i](Program& one) { one.items[i].waiting = Waiting::kSync; });
    add([i](Program& one) { one.items[i].compute_us = 0; });
    add([i](Program& one) { one.items[i].role = 0; });
    add([i](Program& one) { one.items[i].uneven = false; });
    add([i](Program& one) { one.items[i].root = 0; });
    add([i](Program& one) { one.items[i].elements = 1; });
  }
  std::erase_if(all, [text = textOf(program)](const Program& one) {
    return textOf(one) == text;
  });
  return all;
}

}  // namespace

Program shrink(Program program, const std::string& check,
               const std::string& folder) {
  const auto until = std::chrono::steady_clock::now() + kMaxDuration;
  for (bool again = true; again;) {
    again = false;
    for (Program& candidate : smaller(program)) {
      if (std::chrono::steady_clock::now() > until) return program;
      if (!stillLies(candidate, check, folder)) continue;
      program = std::move(candidate);
      again = true;
      break;
    }
  }
  return program;
}

}  // namespace traced::truth
