#include "analysis/compare/fitness.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace traced {
namespace {

// Maximum number of gaps listed per run.
constexpr std::size_t kMaxGaps = 4;

void addGaps(const RunFigures& run, std::vector<Remark>& reasons) {
  for (std::size_t i = 0; i < run.gaps.size() && i < kMaxGaps; ++i) {
    reasons.emplace_back(RunGap{run.name, run.gaps[i]});
  }
  if (run.gaps.size() > kMaxGaps) {
    reasons.emplace_back(MoreGaps{run.name, run.gaps.size() - kMaxGaps});
  }
}

// Reports the first run that differs from the very first run in `of`.
template <typename Of>
void addDifference(const std::vector<const RunFigures*>& runs, Of of,
                   bool in_ranks, std::vector<Remark>& reasons) {
  const auto factsOf = [](const RunFigures& run) {
    return UnequalRuns::Run{run.name, run.world_size,
                            run.stepped ? run.steps : ""};
  };
  for (const RunFigures* run : runs) {
    if (of(*run) == of(*runs.front())) continue;
    reasons.emplace_back(
        UnequalRuns{in_ranks, factsOf(*runs.front()), factsOf(*run)});
    return;
  }
}

using Kinds = std::map<std::pair<std::string, std::string>, double>;

// Returns the calls per step by operation and group, over dtypes and sizes.
Kinds kindsOf(const Runs& runs, double& all) {
  Kinds kinds;
  for (const RunFigures& run : runs) {
    for (const auto& [key, figures] : run.keys) {
      const double calls = run.callsOf(figures);
      kinds[{key.op, key.group}] += calls;
      all += calls;
    }
  }
  return kinds;
}

double sharedOf(const Kinds& kinds, const Kinds& other, double all) {
  double shared = 0;
  for (const auto& [kind, calls] : kinds) {
    if (other.contains(kind)) shared += calls;
  }
  return all > 0 ? shared / all : 0;
}

void addOtherProgram(const Runs& base, const Runs& fresh,
                     std::vector<Remark>& reasons) {
  double base_calls = 0, fresh_calls = 0;
  const Kinds before = kindsOf(base, base_calls);
  const Kinds after = kindsOf(fresh, fresh_calls);
  if (sharedOf(before, after, base_calls) >= kSameProgram &&
      sharedOf(after, before, fresh_calls) >= kSameProgram) {
    return;
  }
  constexpr std::size_t kShown = 3;
  std::set<Kinds::key_type> only;
  for (const auto& [kind, calls] : before) {
    if (!after.contains(kind)) only.insert(kind);
  }
  for (const auto& [kind, calls] : after) {
    if (!before.contains(kind)) only.insert(kind);
  }
  OtherProgram other;
  for (const auto& kind : only) {
    if (other.only.size() < kShown) other.only.push_back(kind);
  }
  reasons.emplace_back(std::move(other));
}

}  // namespace

std::vector<Remark> whyUnfit(const Runs& base, const Runs& fresh,
                             const Runs& same, bool paired) {
  std::vector<Remark> reasons;
  std::vector<const RunFigures*> all;
  for (const Runs* side : {&base, &fresh, &same}) {
    for (const RunFigures& run : *side) {
      all.push_back(&run);
      addGaps(run, reasons);
    }
  }
  if (!reasons.empty()) return reasons;
  addDifference(
      all, [](const RunFigures& run) { return run.world_size; }, true, reasons);
  addDifference(
      all,
      [](const RunFigures& run) {
        return std::pair(run.stepped, run.stepped ? run.steps : "");
      },
      false, reasons);
  if (!reasons.empty()) return reasons;
  addOtherProgram(base, fresh, reasons);
  if (!same.empty()) addOtherProgram(base, same, reasons);
  if (paired && base.size() != fresh.size()) {
    reasons.emplace_back(Unbalanced{base.size(), fresh.size(), false});
  }
  if (paired && !same.empty() && same.size() != base.size()) {
    reasons.emplace_back(Unbalanced{base.size(), same.size(), true});
  }
  return reasons;
}

std::optional<std::pair<std::string, std::string>> sameRunTwice(
    const std::vector<const Runs*>& sides) {
  std::map<std::uint64_t, std::string> seen;
  for (const Runs* side : sides) {
    for (const RunFigures& run : *side) {
      for (const std::uint64_t id : run.stream_ids) {
        const auto [place, is_new] = seen.try_emplace(id, run.name);
        if (!is_new) return std::pair(place->second, run.name);
      }
    }
  }
  return std::nullopt;
}

std::vector<Remark> otherFacts(const Runs& base, const Runs& fresh) {
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>>
      facts;
  for (const RunFigures& run : base) {
    for (const auto& [name, value] : run.facts) facts[name].first.insert(value);
  }
  for (const RunFigures& run : fresh) {
    for (const auto& [name, value] : run.facts) {
      facts[name].second.insert(value);
    }
  }
  std::vector<Remark> differing;
  for (auto& [name, sides] : facts) {
    if (sides.first == sides.second) continue;
    differing.emplace_back(
        OtherFact{name, std::move(sides.first), std::move(sides.second)});
  }
  return differing;
}

}  // namespace traced
