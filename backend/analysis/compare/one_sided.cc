#include "analysis/compare/one_sided.h"

#include <algorithm>
#include <map>

namespace traced {
namespace {

std::size_t haveIt(const Runs& runs, const RunKey& key) {
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(),
      [&](const RunFigures& run) { return run.keys.contains(key); }));
}

// Returns the keys of all runs, each with the figures of the last run that has
// it.
std::map<RunKey, const KeyFigures*> allKeys(const Runs& base,
                                            const Runs& fresh) {
  std::map<RunKey, const KeyFigures*> keys;
  for (const Runs* side : {&base, &fresh}) {
    for (const RunFigures& run : *side) {
      for (const auto& [key, figures] : run.keys) keys[key] = &figures;
    }
  }
  return keys;
}

OneSided oneSided(const RunKey& key, const KeyFigures& figures, bool in_base) {
  return {key, in_base,
          RunFigures::at(figures.values, RunPart::kCalls).value_or(0),
          RunFigures::at(figures.values, RunPart::kBytes).value_or(0),
          figures.site};
}

}  // namespace

std::vector<RunKey> sharedKeys(const Runs& base, const Runs& fresh) {
  std::vector<RunKey> keys;
  for (const auto& [key, figures] : base.front().keys) {
    if (haveIt(base, key) < base.size()) continue;
    if (haveIt(fresh, key) == fresh.size()) keys.push_back(key);
  }
  return keys;
}

void findOneSided(const Runs& base, const Runs& fresh, Comparison& comparison) {
  for (const auto& [key, figures] : allKeys(base, fresh)) {
    const std::size_t in_base = haveIt(base, key);
    const std::size_t in_fresh = haveIt(fresh, key);
    if (in_base == base.size() && in_fresh == fresh.size()) continue;
    const bool only_base = in_base == base.size() && in_fresh == 0;
    const bool only_fresh = in_base == 0 && in_fresh == fresh.size();
    if (only_base || only_fresh) {
      comparison.one_sided.push_back(oneSided(key, *figures, only_base));
      continue;
    }
    comparison.notes.emplace_back(InSomeRuns{key, in_base, in_fresh});
  }
  const auto& before = base.front().layouts;
  const auto& after = fresh.front().layouts;
  for (const auto& [group, members] : before) {
    const auto found = after.find(group);
    if (found == after.end() || found->second == members) continue;
    comparison.regrouped.push_back({group, members, found->second});
  }
}

}  // namespace traced
