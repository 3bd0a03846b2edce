#include "analysis/report/report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/numbers.h"

namespace traced {
namespace {

constexpr std::array<std::pair<const char*, ReportKey>, 16> kKeys = {{
    {"op", ReportKey::kOp},
    {"group", ReportKey::kGroup},
    {"dtype", ReportKey::kDtype},
    {"size", ReportKey::kSize},
    {"shape", ReportKey::kShape},
    {"rank", ReportKey::kRank},
    {"step", ReportKey::kStep},
    {"annotation", ReportKey::kAnnotation},
    {"module", ReportKey::kModule},
    {"phase", ReportKey::kPhase},
    {"parent", ReportKey::kParent},
    {"reason", ReportKey::kParent},
    {"site", ReportKey::kSite},
    {"peer", ReportKey::kPeer},
    {"algorithm", ReportKey::kAlgorithm},
    {"protocol", ReportKey::kProtocol},
}};

constexpr std::array<std::pair<const char*, ReportOrder>, 7> kOrders = {{
    {"share", ReportOrder::kShare},
    {"calls", ReportOrder::kCalls},
    {"bytes", ReportOrder::kBytes},
    {"host", ReportOrder::kHost},
    {"completion", ReportOrder::kCompletion},
    {"wait", ReportOrder::kWait},
    {"name", ReportOrder::kName},
}};

template <typename T, std::size_t N>
std::optional<T> named(const std::array<std::pair<const char*, T>, N>& all,
                       const std::string& name) {
  for (const auto& [known, value] : all) {
    if (name == known) return value;
  }
  return std::nullopt;
}

// Compares numbers by value, and puts them before words.
bool isBefore(const std::string& a, const std::string& b) {
  std::uint64_t number_a = 0, number_b = 0;
  const bool is_a = absl::SimpleAtoi(a, &number_a);
  const bool is_b = absl::SimpleAtoi(b, &number_b);
  if (is_a && is_b) return number_a < number_b;
  return is_a != is_b ? is_a : a < b;
}

double weight(const ReportRow& row, ReportOrder order) {
  const CallTotals& totals = row.totals;
  switch (order) {
    case ReportOrder::kShare:
      return row.share_at_most;
    case ReportOrder::kCalls:
      return static_cast<double>(totals.calls);
    case ReportOrder::kBytes:
      return static_cast<double>(totals.bytes);
    case ReportOrder::kHost:
      return static_cast<double>(totals.host.total_ns);
    case ReportOrder::kCompletion:
      return static_cast<double>(totals.completion.total_ns);
    case ReportOrder::kWait:
      return static_cast<double>(totals.wait.total_ns);
    case ReportOrder::kName:
      break;
  }
  return 0;
}

}  // namespace

std::string nameOf(ReportKey key) {
  for (const auto& [name, value] : kKeys) {
    if (value == key) return name;
  }
  return "";
}

std::vector<std::string> reportKeyNames() {
  std::vector<std::string> names;
  for (const auto& [name, value] : kKeys) names.emplace_back(name);
  return names;
}

std::optional<ReportKey> reportKeyNamed(const std::string& name) {
  return named(kKeys, name);
}

std::optional<ReportOrder> reportOrderNamed(const std::string& name) {
  return named(kOrders, name);
}

void CallTotals::add(const CallTotals& other) {
  calls += other.calls;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  bytes += other.bytes;
  host.add(other.host);
  completion.add(other.completion);
  wait.add(other.wait);
  ends_at_wait += other.ends_at_wait;
  ends_by_future += other.ends_by_future;
  ends_at_hook += other.ends_at_hook;
  ends_unknown += other.ends_unknown;
  ends_with_batch += other.ends_with_batch;
  failed += other.failed;
  captured += other.captured;
  waits_unknown += other.waits_unknown;
  unseen_at_most_ns += other.unseen_at_most_ns;
  parents += other.parents;
  parents_ns += other.parents_ns;
  parents_inside_ns += other.parents_inside_ns;
  held_ns += other.held_ns;
  split.add(other.split);
  inputs.add(other.inputs);
  outputs.add(other.outputs);
}

double CallTotals::shareOf(std::uint64_t run_ns) const {
  return run_ns == 0
             ? 0
             : static_cast<double>(held_ns) / static_cast<double>(run_ns);
}

double CallTotals::mostOf(std::uint64_t run_ns) const {
  const double seen = shareOf(run_ns);
  if (run_ns == 0 || unseen_at_most_ns == 0) return seen;
  const double most = seen + static_cast<double>(unseen_at_most_ns) /
                                 static_cast<double>(run_ns);
  return std::max(seen, std::min(most, 1.0));
}

std::optional<Latest> latestOf(const Report& report) {
  std::optional<Latest> latest;
  double most_lost_ns = 0;
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    const auto& ranks = report.rows[row].split.ranks();
    for (const auto& [rank, lateness] : ranks) {
      const auto last = static_cast<double>(lateness.last());
      const double part = last / static_cast<double>(lateness.ready_times);
      // A fair share is meaningless with fewer than three ranks in the row.
      const double enough =
          ranks.size() < 3
              ? 0.6
              : std::min(0.6, 2.0 / static_cast<double>(ranks.size()));
      if (lateness.last() < 10 || part < enough) continue;
      const std::uint64_t behind_ns = lateness.behind_ns.percentile(50);
      const double lost_ns = last * static_cast<double>(behind_ns);
      if (lost_ns <= most_lost_ns) continue;
      most_lost_ns = lost_ns;
      latest = {rank, row, part, behind_ns};
    }
  }
  return latest;
}

void sortRows(Report& report, ReportOrder order) {
  std::sort(report.rows.begin(), report.rows.end(),
            [order](const ReportRow& a, const ReportRow& b) {
              const double a_weight = weight(a, order);
              const double b_weight = weight(b, order);
              return a_weight != b_weight
                         ? a_weight > b_weight
                         : std::lexicographical_compare(
                               a.keys.begin(), a.keys.end(), b.keys.begin(),
                               b.keys.end(), isBefore);
            });
}

}  // namespace traced
