#include "analysis/job/run_filters.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/clock_models.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

std::string windowEndText(std::int64_t ns) {
  return absl::StrFormat("%g s", static_cast<double>(ns) / 1e9);
}

// Saturates, because a file can contain any time.
std::int64_t sumOf(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min() + 1;
}

std::int64_t differenceOf(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min() + 1;
}

// Converts an instant of the common time line to the stream's clock.
// Approximate, but clock drift makes a negligible difference.
std::int64_t ownNs(const v1::ClockModel& clock, std::int64_t common_ns,
                   std::int64_t near_ns) {
  std::int64_t own_ns = near_ns;
  for (int i = 0; i < 2; ++i) {
    own_ns = sumOf(own_ns, differenceOf(common_ns, commonNs(clock, own_ns)));
  }
  return own_ns;
}

}  // namespace

std::string RunWindow::text() const {
  std::vector<std::string> parts;
  if (!steps.all()) {
    const bool one = steps.first() == steps.last();
    parts.push_back(absl::StrCat(one ? "step " : "steps ", steps.text()));
  }
  if (since_ns) parts.push_back("since " + windowEndText(*since_ns));
  if (until_ns) parts.push_back("until " + windowEndText(*until_ns));
  return absl::StrJoin(parts, ", ");
}

std::int64_t firstStartNs(const TraceSet& set,
                          const std::vector<v1::ClockModel>& models) {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t i : set.selected) {
    const v1::Header& header = set.streams[i].header;
    first_ns = std::min(first_ns,
                        commonNs(models[i], header.started().monotonic_ns()));
  }
  return first_ns;
}

WindowFilter::WindowFilter(const RunWindow& window, const StreamTable& table,
                           const v1::ClockModel& clock,
                           std::int64_t first_start_ns)
    : window_(window), table_(table) {
  const std::int64_t started_ns = table.header.started().monotonic_ns();
  begin_ns_ = started_ns;
  end_ns_ =
      table.last.known() ? std::max(table.last.ns(), started_ns) : started_ns;
  if (!window.steps.all()) takeSteps();
  if (window.since_ns) {
    begin_ns_ = std::max(
        begin_ns_,
        ownNs(clock, sumOf(first_start_ns, *window.since_ns), started_ns));
  }
  if (window.until_ns) {
    const std::int64_t until_ns =
        ownNs(clock, sumOf(first_start_ns, *window.until_ns), started_ns);
    to_the_end_ = until_ns > end_ns_;
    end_ns_ = std::min(end_ns_, until_ns);
  }
  end_ns_ = std::max(begin_ns_, end_ns_);
}

// Limits the window to the time from the start of the first selected step to
// the end of the last.
void WindowFilter::takeSteps() {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  for (const Marks::Step& step : table_.marks.steps()) {
    if (!window_.steps.holds(step.number) || !step.began.known()) continue;
    first_ns = std::min(first_ns, step.began.ns());
    last_ns = std::max(last_ns, step.ended.known() ? step.ended.ns() : end_ns_);
  }
  const bool any = first_ns <= last_ns;
  begin_ns_ = any ? std::max(begin_ns_, first_ns) : end_ns_;
  end_ns_ = any ? std::min(end_ns_, last_ns) : end_ns_;
}

bool WindowFilter::holds(const AssembledOperation& op) const {
  if (window_.all()) return true;
  if (!window_.steps.holds(table_.marks.stepOf(op.id))) return false;
  if (!window_.since_ns && !window_.until_ns) return true;
  const std::int64_t at_ns = op.issued.ns();
  const bool late_enough = !window_.since_ns || at_ns >= begin_ns_;
  return late_enough && (to_the_end_ || at_ns < end_ns_);
}

std::uint64_t cutTo(const WindowFilter& filter, StreamTable& table,
                    std::vector<ReadyTime>* ready) {
  std::vector<AssembledOperation>& operations = table.operations;
  std::size_t kept = 0;
  std::uint64_t simulated = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!filter.holds(operations[i])) continue;
    simulated += table.isSimulated(operations[i]);
    operations[kept] = operations[i];
    if (ready) (*ready)[kept] = (*ready)[i];
    ++kept;
  }
  const std::uint64_t gone = operations.size() - kept;
  operations.resize(kept);
  if (ready) ready->resize(kept);
  table.simulated = simulated;
  table.header.mutable_started()->set_monotonic_ns(filter.begin().ns());
  table.last = filter.end();
  if (filter.begin().isAfter(table.first_operation)) {
    table.first_operation = filter.begin();
  }
  if (table.last_operation.isAfter(filter.end())) {
    table.last_operation = filter.end();
  }
  return gone;
}

namespace {

constexpr const char* kScopeNames[] = {"all", "crossnode", "none"};

// Returns an empty string if the header does not contain it.
std::string nodeIn(const v1::Header& header) {
  if (!header.node().empty()) return "node " + header.node();
  if (!header.boot_id().empty()) return "boot " + header.boot_id();
  return header.host();
}

std::string nameIn(const v1::Header& header) {
  return header.node().empty() ? header.host() : header.node();
}

}  // namespace

std::string nameOf(ReportedScope scope) {
  return kScopeNames[static_cast<std::size_t>(scope)];
}

std::optional<ReportedScope> reportedScopeNamed(const std::string& name) {
  for (const ReportedScope scope :
       {ReportedScope::kAll, ReportedScope::kCrossNode, ReportedScope::kNone}) {
    if (nameOf(scope) == name) return scope;
  }
  return std::nullopt;
}

NodeIndex::NodeIndex(const TraceSet& set) {
  absl::flat_hash_map<std::string, std::uint32_t> numbers;
  for (const std::size_t i : set.selected) {
    const v1::Header& header = set.streams[i].header;
    const std::string node = nodeIn(header);
    if (node.empty()) continue;
    const auto [place, is_new] =
        numbers.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({place->second, nameIn(header)});
    node_by_rank_[header.rank()] = place->second;
  }
}

const NodeIndex::Node* NodeIndex::of(std::uint32_t rank) const {
  const auto found = node_by_rank_.find(rank);
  return found == node_by_rank_.end() ? nullptr : &nodes_[found->second];
}

bool NodeIndex::onOneNode(const RankList& ranks) const {
  if (ranks.size() == 0) return false;
  const Node* first = of(*ranks.at(0));
  bool one = first != nullptr;
  ranks.forEach([&](std::uint32_t rank) {
    if (one) one = of(rank) == first;
  });
  return one;
}

bool NodeIndex::onOneNode(std::uint32_t one, std::uint32_t other) const {
  const Node* node = of(one);
  return node && node == of(other);
}

ScopeFilter::ScopeFilter(ReportedScope scope, const NodeIndex& nodes,
                         const StreamTable& table)
    : scope_(scope), nodes_(nodes), table_(table) {
  if (scope != ReportedScope::kCrossNode) return;
  for (const GroupDefinition& group : table.definitions.groups()) {
    within_node_.push_back(nodes.onOneNode(group.members));
  }
}

bool ScopeFilter::holds(const AssembledOperation& op) const {
  if (scope_ != ReportedScope::kCrossNode) return scope_ == ReportedScope::kAll;
  const v1::Call* call = table_.callOf(op);
  if (!call) return true;
  if (isPointToPoint(call->op())) {
    if (const auto peer = table_.peerOf(op, *call)) {
      return !nodes_.onOneNode(table_.header.rank(), *peer);
    }
  }
  const std::uint32_t group = table_.groupOf(*call);
  return group == StreamDefinitions::kNone || !within_node_[group];
}

}  // namespace traced
