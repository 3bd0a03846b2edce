#include "analysis/compare/fitness.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace traced {
namespace {

// Of a run so many sentences.
constexpr std::size_t kMostGaps = 4;

void addGaps(const RunFigures& run, std::vector<std::string>& reasons) {
  for (std::size_t i = 0; i < run.gaps.size() && i < kMostGaps; ++i) {
    reasons.push_back(absl::StrCat(run.name, ": ", run.gaps[i]));
  }
  if (run.gaps.size() > kMostGaps) {
    reasons.push_back(absl::StrCat(
        run.name, ": and ", run.gaps.size() - kMostGaps, " more reasons"));
  }
}

// A sentence where a figure that must be equal is not.
template <typename Of>
std::string difference(const std::vector<const RunFigures*>& runs, Of of,
                       const std::string& what) {
  const RunFigures& first = *runs.front();
  for (const RunFigures* run : runs) {
    if (of(*run) == of(first)) continue;
    return absl::StrCat(first.name, " has ", of(first), " and ", run->name, " ",
                        of(*run), ": ", what);
  }
  return "";
}

using Kinds = std::map<std::pair<std::string, std::string>, double>;

// Calls of a step by operation and group, whatever their dtype and size.
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

std::string otherProgram(const Runs& base, const Runs& fresh) {
  double base_calls = 0, fresh_calls = 0;
  const Kinds before = kindsOf(base, base_calls);
  const Kinds after = kindsOf(fresh, fresh_calls);
  if (sharedOf(before, after, base_calls) >= kSameProgram &&
      sharedOf(after, before, fresh_calls) >= kSameProgram) {
    return "";
  }
  std::set<std::string> only;
  for (const auto& [kind, calls] : before) {
    if (!after.contains(kind)) only.insert(kind.first + " on " + kind.second);
  }
  for (const auto& [kind, calls] : after) {
    if (!before.contains(kind)) only.insert(kind.first + " on " + kind.second);
  }
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown(only.begin(), only.end());
  if (shown.size() > kShown) shown.resize(kShown);
  return absl::StrCat(
      "the two sides are different programs: less than half of the calls of "
      "one are operations that the other has, on one side only are ",
      absl::StrJoin(shown, ", "));
}

}  // namespace

std::vector<std::string> whyUnfit(const Runs& base, const Runs& fresh,
                                  const Runs& same, bool paired) {
  std::vector<std::string> reasons;
  std::vector<const RunFigures*> all;
  for (const Runs* side : {&base, &fresh, &same}) {
    for (const RunFigures& run : *side) {
      all.push_back(&run);
      addGaps(run, reasons);
    }
  }
  if (!reasons.empty()) return reasons;
  const auto say = [&reasons](std::string sentence) {
    if (!sentence.empty()) reasons.push_back(std::move(sentence));
  };
  say(difference(
      all,
      [](const RunFigures& run) {
        return absl::StrCat(run.world_size, " ranks");
      },
      "jobs of different sizes are not compared"));
  say(difference(
      all,
      [](const RunFigures& run) {
        return run.stepped ? absl::StrCat("steps ", run.steps)
                           : std::string("no marked steps");
      },
      "not the same steps; --steps names those to compare"));
  if (!reasons.empty()) return reasons;
  say(otherProgram(base, fresh));
  if (!same.empty()) say(otherProgram(base, same));
  if (paired && base.size() != fresh.size()) {
    say(absl::StrCat("the sides are unbalanced: ", base.size(), " and ",
                     fresh.size(), " runs are no pairs"));
  }
  if (paired && !same.empty() && same.size() != base.size()) {
    say(absl::StrCat("the sides are unbalanced: ", base.size(), " and ",
                     same.size(), " runs of --same are no pairs"));
  }
  return reasons;
}

std::string sameRunTwice(const std::vector<const Runs*>& sides) {
  std::map<std::uint64_t, std::string> seen;
  for (const Runs* side : sides) {
    for (const RunFigures& run : *side) {
      for (const std::uint64_t id : run.stream_ids) {
        const auto [place, is_new] = seen.try_emplace(id, run.name);
        if (is_new) continue;
        return place->second == run.name
                   ? absl::StrCat(run.name, " is given twice")
                   : absl::StrCat(place->second, " and ", run.name,
                                  " are the same run");
      }
    }
  }
  return "";
}

std::vector<std::string> otherFacts(const Runs& base, const Runs& fresh) {
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
  const auto text = [](const std::set<std::string>& values) {
    return values.empty() ? std::string("none") : absl::StrJoin(values, " or ");
  };
  std::vector<std::string> sentences;
  for (const auto& [name, sides] : facts) {
    if (sides.first == sides.second) continue;
    sentences.push_back(absl::StrCat(name, " was ", text(sides.first),
                                     " and is ", text(sides.second)));
  }
  return sentences;
}

}  // namespace traced
