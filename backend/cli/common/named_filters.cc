#include "cli/common/named_filters.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/match/match.h"
#include "analysis/stream/names.h"
#include "analysis/stream/rank_list.h"

namespace traced {
namespace {

// Shown for an unknown group.
constexpr char kUnknown[] = "-";

// Returns, for example, "all_reduce, send and 12 more".
std::string listed(const std::set<std::string>& names) {
  constexpr std::size_t kMaxShown = 20;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == kMaxShown) break;
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
    return absl::StrCat(option, " ", name, ": not in these traces; ",
                        "they have: ", listed(names));
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
  return absl::StrCat("--ranks ", wanted, ": no traces of these ranks, ",
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

Result<absl::flat_hash_set<std::uint32_t>> parseRanks(const std::string& text) {
  constexpr std::uint32_t kMaxRanks = 16'777'216;
  absl::flat_hash_set<std::uint32_t> ranks;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(part, absl::MaxSplits('/', 1));
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(halves.first, absl::MaxSplits('-', 1));
    const bool is_range = part.find('-') != absl::string_view::npos;
    const bool has_stride = part.find('/') != absl::string_view::npos;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t stride = 1;
    if (!absl::SimpleAtoi(ends.first, &first) ||
        !absl::SimpleAtoi(is_range ? ends.second : ends.first, &last) ||
        (has_stride && !absl::SimpleAtoi(halves.second, &stride)) ||
        stride == 0 || last < first || last - first >= kMaxRanks) {
      return Error{absl::StrCat("\"", part,
                                "\" is no rank and no range of ranks such as "
                                "0-3")};
    }
    for (std::uint64_t rank = first; rank <= last; rank += stride) {
      ranks.insert(static_cast<std::uint32_t>(rank));
    }
  }
  return ranks;
}

}  // namespace traced
