#include "analysis/report/small_calls.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "analysis/stream/names.h"

namespace traced {
namespace {

std::uint64_t bytesOf(const v1::Call& call) {
  return std::max(call.bytes_in(), call.bytes_out());
}

using CallAtStack = std::pair<std::uint32_t, std::uint32_t>;

// Returns in how many marked steps each call and stack of `many` occurs.
absl::flat_hash_map<CallAtStack, std::uint64_t> usedSteps(
    const StreamTable& table, const std::set<CallAtStack>& many) {
  absl::flat_hash_map<CallAtStack, std::uint64_t> used;
  const std::vector<Marks::Step>& steps = table.marks.steps();
  if (many.empty() || steps.empty()) return used;
  std::set<CallAtStack> in_step;
  std::size_t next = 0;
  for (const AssembledOperation& op : table.operations) {
    for (; next < steps.size() && steps[next].position <= op.id; ++next) {
      in_step.clear();
    }
    const CallAtStack key(op.call, op.stack);
    if (next == 0 || op.id >= steps[next - 1].end_position) continue;
    if (many.contains(key) && in_step.insert(key).second) ++used[key];
  }
  return used;
}

// Returns whether the call's group has one member.
bool isAlone(const StreamTable& table, const v1::Call& call) {
  const std::uint32_t group = table.groupOf(call);
  return group != StreamDefinitions::kNone &&
         table.definitions.groups()[group].members.size() == 1;
}

}  // namespace

void SmallCallSite::add(const SmallCallSite& other) {
  ranks += other.ranks;
  calls += other.calls;
  steps += other.steps;
  quick += other.quick;
  cost_ns += other.cost_ns;
  bytes.insert(bytes.end(), other.bytes.begin(), other.bytes.end());
}

void SmallCalls::OfStream::add(const AssembledOperation& op,
                               const v1::Call& call, std::uint64_t cost_ns) {
  const auto idle = between(returned_, op.issued);
  const bool is_quick =
      op.stack == stack_ && idle.has_value() && *idle < took_ns_;
  stack_ = op.stack;
  returned_ = op.wait_ended.isAfter(op.returned) ? op.wait_ended : op.returned;
  took_ns_ = between(op.issued, returned_).value_or(0);
  // The operations of object collectives cannot be combined. Those of a batch
  // are.
  const v1::Context* context = table_.contextOf(op);
  const bool is_part = context && !context->parent().empty();
  if (op.stack == 0 || op.batch != 0 || bytesOf(call) == 0 || is_part) return;
  Sums& sums = sums_[{op.call, op.stack}];
  ++sums.calls;
  sums.quick += is_quick;
  sums.cost_ns += cost_ns;
}

void SmallCalls::add(const OfStream& stream) {
  const StreamTable& table = stream.table_;
  std::set<CallAtStack> many;
  for (const auto& [key, sums] : stream.sums_) {
    if (sums.calls >= kMinQuick) many.insert(key);
  }
  const auto used_steps = usedSteps(table, many);
  // The most steps that a call at the site was in.
  std::map<SmallCallSite*, std::uint64_t> used;
  for (const auto& [key, sums] : stream.sums_) {
    const v1::Call& call = table.definitions.calls()[key.first];
    if (isAlone(table, call)) continue;
    const v1::Stack* stack = table.definitions.stack(key.second);
    const std::string site = stack ? table.definitions.siteText(*stack) : "";
    if (site.empty()) continue;
    const std::string op = nameOf(call.op());
    SmallCallSite& sum = sites_[{site, op}];
    sum.site = site;
    sum.op = op;
    const auto [steps, is_new] = used.try_emplace(&sum, 0);
    sum.ranks += is_new;
    const auto found = used_steps.find(key);
    if (found != used_steps.end()) {
      steps->second = std::max(steps->second, found->second);
    }
    sum.calls += sums.calls;
    sum.quick += sums.quick;
    sum.cost_ns += sums.cost_ns;
    sum.bytes.emplace_back(bytesOf(call), sums.calls);
  }
  for (const auto& [site, steps] : used) {
    if (2 * steps > table.marks.steps().size()) site->steps += steps;
  }
}

void SmallCalls::add(const SmallCalls& other) {
  for (const auto& [key, site] : other.sites_) {
    SmallCallSite& sum = sites_[key];
    sum.site = site.site;
    sum.op = site.op;
    sum.add(site);
  }
}

std::vector<SmallCallSite> SmallCalls::finish(std::uint64_t rank_time_ns) && {
  std::vector<SmallCallSite> found;
  for (auto& [key, site] : sites_) {
    site.p50_bytes = medianOf(site.bytes);
    const bool counts = site.quick >= kMinQuick * site.ranks &&
                        2 * site.quick >= site.calls &&
                        site.p50_bytes <= kMaxBytes &&
                        static_cast<double>(site.cost_ns) >=
                            kMinPart * static_cast<double>(rank_time_ns);
    if (counts) found.push_back(std::move(site));
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.cost_ns > b.cost_ns; });
  return found;
}

}  // namespace traced
