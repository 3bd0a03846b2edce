#include "analysis/stream/function_calls.h"

#include <algorithm>
#include <utility>

#include "analysis/stream/losses.h"

namespace traced {
namespace {

std::string siteText(const StreamTable& table, std::uint32_t stack) {
  const v1::Stack* known =
      stack == 0 ? nullptr : table.definitions.stack(stack);
  return known ? table.definitions.siteText(*known) : "";
}

std::vector<FunctionRow> inOrder(const StreamTable& table) {
  std::vector<FunctionRow> rows = table.functions;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const FunctionRow& a, const FunctionRow& b) {
                     return a.position < b.position;
                   });
  return rows;
}

// A call and when its barrier began.
struct Call {
  GroupSetup setup;
  Instant barrier_began;
};

void addEvent(const StreamTable& table, const FunctionRow& row, Call& call) {
  GroupSetup& setup = call.setup;
  const Instant at(row.at_ns);
  switch (row.event) {
    case v1::FUNCTION_EVENT_BARRIER_BEGAN:
      call.barrier_began = at;
      break;
    case v1::FUNCTION_EVENT_BARRIER_ENDED:
      setup.barrier_ns += between(call.barrier_began, at).value_or(0);
      call.barrier_began = Instant();
      break;
    case v1::FUNCTION_EVENT_CREATION_ENDED:
    case v1::FUNCTION_EVENT_CREATION_FAILED: {
      setup.ended = at;
      setup.failed |= row.event == v1::FUNCTION_EVENT_CREATION_FAILED;
      const std::uint32_t group = table.definitions.group(row.group);
      if (group != StreamDefinitions::kNone) setup.groups.push_back(group);
      break;
    }
    default:
      break;
  }
}

}  // namespace

std::vector<GroupSetup> groupSetups(const StreamTable& table) {
  std::vector<Call> calls;
  absl::flat_hash_map<std::uint64_t, std::size_t> index;
  for (const FunctionRow& row : inOrder(table)) {
    if (row.event == v1::FUNCTION_EVENT_CREATION_BEGAN) {
      if (!index.try_emplace(row.call, calls.size()).second) continue;
      GroupSetup& setup = calls.emplace_back().setup;
      const std::string* function = table.definitions.text(row.function);
      if (function) setup.function = *function;
      setup.site = siteText(table, row.stack);
      setup.position = row.position;
      setup.began = Instant(row.at_ns);
    } else if (const auto call = index.find(row.call); call != index.end()) {
      addEvent(table, row, calls[call->second]);
    }
  }
  std::vector<GroupSetup> setups;
  setups.reserve(calls.size());
  for (Call& call : calls) setups.push_back(std::move(call.setup));
  return setups;
}

bool isComplete(const GroupSetup& setup, const StreamTable& table) {
  // A pause at the end sets `lost_before` too. These calls are recorded while
  // tracing is switched off.
  Losses losses;
  losses.add(table);
  return !losses.any() || setup.position >= table.lost_before;
}

absl::flat_hash_map<std::uint64_t, std::uint64_t> objectCallsNs(
    const StreamTable& table) {
  absl::flat_hash_map<std::uint64_t, Instant> began;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> took_ns;
  for (const FunctionRow& row : inOrder(table)) {
    if (row.event == v1::FUNCTION_EVENT_OBJECTS_BEGAN) {
      began.try_emplace(row.call, row.at_ns);
    } else if (row.event == v1::FUNCTION_EVENT_OBJECTS_ENDED) {
      const auto from = began.find(row.call);
      if (from == began.end()) continue;
      const auto ns = between(from->second, Instant(row.at_ns));
      if (ns) took_ns.try_emplace(row.call, *ns);
    }
  }
  return took_ns;
}

}  // namespace traced
