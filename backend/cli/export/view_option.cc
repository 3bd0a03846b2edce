#include "cli/export/view_option.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/common/named_filters.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr double kNsInSecond = 1e9;
// About a century, which is far from an overflow in nanoseconds.
constexpr double kMaxSeconds = 3e9;

std::string chosenText(const JobView& view) {
  std::vector<std::string> ranks;
  for (const ChosenRank& one : view.chosen()) {
    ranks.push_back(
        absl::StrCat(view.overview().ranks[one.index].rank,
                     one.reason == ChosenAs::kAsked
                         ? ""
                         : absl::StrCat(" (", nameOf(one.reason), ")")));
    if (ranks.size() == 16 && view.chosen().size() > 16) {
      ranks.push_back("...");
      break;
    }
  }
  return absl::StrCat(view.chosen().size() == 1 ? "rank " : "ranks ",
                      absl::StrJoin(ranks, ", "));
}

}  // namespace

void ViewOption::declare(CLI::App& app) {
  app.add_option("--ranks", ranks_,
                 "For formats of other tools: only these ranks, such as 0-3,5")
      ->check([](const std::string& text) {
        const auto ranks = parseRanks(text);
        return ranks ? std::string() : ranks.error().message;
      });
  app.add_option(
         "--groups", groups_,
         "For formats of other tools: only the groups with these labels")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--last", last_s_,
                 "For formats of other tools: only operations that had not "
                 "ended this many seconds before the end of the run")
      ->check(CLI::Range(0.0, kMaxSeconds));
}

std::string ViewOption::unknownIn(const RunOverview& overview) const {
  std::vector<std::uint32_t> there;
  for (const RunOverview::Rank& rank : overview.ranks) {
    there.push_back(rank.rank);
  }
  std::string sentence = ranks_.empty() ? "" : unknownRanks(ranks_, there);
  if (!sentence.empty() || groups_.empty()) return sentence;
  return unknownGroup(groups_, overview.groups);
}

ViewSelection ViewOption::selection() const {
  ViewSelection selection;
  if (!ranks_.empty()) selection.ranks = parseRanks(ranks_).value();
  selection.groups.insert(groups_.begin(), groups_.end());
  if (last_s_) {
    selection.last_ns = static_cast<std::int64_t>(*last_s_ * kNsInSecond);
  }
  return selection;
}

std::string leftOutText(const JobView& view) {
  const ExcludedOperations& out = view.leftOut();
  std::vector<std::string> parts;
  if (out.ranks > 0) {
    parts.push_back(absl::StrCat(countOf(out.of_ranks, "operation"), " of ",
                                 countOf(out.ranks, "other rank")));
  }
  const auto add = [&](std::uint64_t count, const char* why) {
    if (count == 0) return;
    parts.push_back(absl::StrCat(countOf(count, "operation"), why));
  };
  add(out.of_groups, " of other groups");
  add(out.of_scope, " outside the scope");
  add(out.of_window, " outside the window");
  add(out.too_many, " before the latest that fit");
  if (parts.empty()) return "";
  return absl::StrCat(
      out.ranks > 0 ? absl::StrCat("only ", chosenText(view), "; ") : "",
      "left out: ", absl::StrJoin(parts, ", "),
      " (--ranks, --steps, --groups and --last choose)");
}

}  // namespace traced
