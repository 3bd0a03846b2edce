#include "cli/common/named_filters.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "analysis/match/match.h"
#include "analysis/stream/names.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/rank_set.h"

namespace traced {
namespace {

// What is shown for a group that is not known.
constexpr char kUnknown[] = "-";

// "all_reduce, send and 12 more"
std::string listed(const std::set<std::string>& names) {
  constexpr std::size_t kMostShown = 20;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == kMostShown) break;
    absl::StrAppend(&text, shown++ == 0 ? "" : ", ", name);
  }
  if (names.size() > shown) {
    absl::StrAppend(&text, " and ", names.size() - shown, " more");
  }
  return text.empty() ? "none" : text;
}

std::string unknownAmong(const std::vector<std::string>& wanted,
                         const std::set<std::string>& names,
                         const char* option) {
  for (const std::string& name : wanted) {
    if (name == kUnknown || names.contains(name)) continue;
    return absl::StrCat(option, " ", name, ": these traces have no such; ",
                        "there are: ", listed(names));
  }
  return "";
}

std::set<std::string> operationNames(const LoadedRun& run) {
  std::set<std::string> names;
  for (const LoadedRun::Stream& stream : run.streams) {
    std::set<v1::Operation> seen;
    for (const AssembledOperation& op : stream.table.operations) {
      const v1::Call* call = stream.table.callOf(op);
      const v1::Operation kind = call ? call->op() : v1::OPERATION_UNSPECIFIED;
      if (!call) {
        names.insert(operationName(stream.table, op));
      } else if (seen.insert(kind).second) {
        names.insert(nameOf(kind));
      }
    }
  }
  return names;
}

}  // namespace

std::string unknownRanks(const std::string& wanted,
                         const std::vector<std::uint32_t>& there) {
  const auto ranks = parseRanks(wanted).value();
  const bool any = std::any_of(
      there.begin(), there.end(),
      [&ranks](std::uint32_t rank) { return ranks.contains(rank); });
  if (any) return "";
  return absl::StrCat("--ranks ", wanted, ": there are no traces of these, ",
                      "but of ranks ", RankList::fromRanks(there).text());
}

std::string unknownGroup(const std::vector<std::string>& wanted,
                         const GroupCatalog& groups) {
  std::set<std::string> labels;
  for (std::uint32_t i = 0; i < groups.groups().size(); ++i) {
    labels.insert(groups.label(i));
  }
  return unknownAmong(wanted, labels, "--groups");
}

std::string unknownName(const NamedFilters& filters, const LoadedRun& run) {
  if (!filters.ranks.empty()) {
    std::vector<std::uint32_t> there;
    for (const LoadedRun::Stream& stream : run.streams) {
      there.push_back(stream.table.header.rank());
    }
    std::string sentence = unknownRanks(filters.ranks, there);
    if (!sentence.empty()) return sentence;
  }
  if (!filters.groups.empty()) {
    std::string sentence = unknownGroup(filters.groups, run.groups);
    if (!sentence.empty()) return sentence;
  }
  if (filters.ops.empty()) return "";
  return unknownAmong(filters.ops, operationNames(run), "--ops");
}

}  // namespace traced
