#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "analysis/flight_recorder/dump.h"

namespace traced {
namespace {

using NamesById = absl::flat_hash_map<std::int64_t, std::string_view>;

NamesById namesInEntries(const Dump& dump) {
  NamesById names;
  for (std::size_t i = 0; i < dump.entryCount(); ++i) {
    const DumpEntry entry = dump.entry(i);
    if (entry.group_id) names.try_emplace(*entry.group_id, entry.group_name);
  }
  return names;
}

// Returns nothing if the order proves nothing.
NamesById namesByOrder(const Dump& dump) {
  std::vector<std::pair<std::uint64_t, std::string_view>> names;
  for (const DumpGroup& group : dump.groups()) {
    std::uint64_t number = 0;
    if (!absl::SimpleAtoi(
            absl::string_view(group.name.data(), group.name.size()), &number)) {
      return {};
    }
    names.emplace_back(number, group.name);
  }
  std::vector<std::int64_t> ids;
  for (const DumpProgress& progress : dump.progress()) {
    ids.push_back(progress.group_id);
  }
  std::sort(names.begin(), names.end());
  std::sort(ids.begin(), ids.end());
  const bool repeats = std::adjacent_find(ids.begin(), ids.end()) != ids.end();
  if (ids.size() != names.size() || repeats) return {};
  NamesById by_order;
  for (std::size_t i = 0; i < ids.size(); ++i)
    by_order[ids[i]] = names[i].second;
  return by_order;
}

}  // namespace

NamesById groupNamesById(const Dump& dump) {
  NamesById names = namesInEntries(dump);
  NamesById by_order = namesByOrder(dump);
  const bool agree =
      std::all_of(names.begin(), names.end(), [&](const auto& name) {
        const auto found = by_order.find(name.first);
        return found != by_order.end() && found->second == name.second;
      });
  return agree && !by_order.empty() ? by_order : names;
}

}  // namespace traced
