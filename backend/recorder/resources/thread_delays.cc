#include "recorder/resources/thread_delays.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "recorder/standstill/thread_activity.h"

namespace traced {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

std::optional<ThreadDelays::Totals> ThreadDelays::readTotals() const {
  Totals totals;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir("/proc/self/task"));
  if (!folder) return std::nullopt;
  while (const dirent* const entry = readdir(folder.get())) {
    const std::int64_t tid = std::strtoll(entry->d_name, nullptr, 10);
    if (tid == 0 || tid == getpid() || tid == gettid()) continue;
    if (totals.size() == kMaxThreads) return std::nullopt;
    std::optional<std::uint64_t> total_ns = scheduleOf(tid).delay_ns;
    if (!total_ns && totals_) {  // it ended, or there is no descriptor left
      const auto before = totals_->find(tid);
      if (before != totals_->end()) total_ns = before->second;
    }
    if (total_ns) totals[tid] = *total_ns;
  }
  return totals;
}

ThreadDelays::Delays ThreadDelays::measure(
    const std::vector<std::int64_t>& issuers) {
  std::optional<Totals> now = readTotals();
  const std::optional<Totals> before = std::exchange(totals_, std::move(now));
  if (!totals_ || !before || totals_->empty()) return {};
  Delays delays;
  std::uint64_t sum_ns = 0;
  std::size_t still_run = 0;
  for (const auto& [tid, total_ns] : *totals_) {
    const auto earlier = before->find(tid);
    const std::uint64_t since_ns =
        earlier == before->end() ? 0 : earlier->second;
    // The id of a thread that ended may be used again.
    const std::uint64_t ns =
        total_ns >= since_ns ? total_ns - since_ns : total_ns;
    sum_ns += ns;
    still_run += earlier != before->end();
    if (std::find(issuers.begin(), issuers.end(), tid) != issuers.end()) {
      delays.issuer_ns = std::max(delays.issuer_ns.value_or(0), ns);
    }
  }
  // The last delays of threads that ended are unknown.
  if (still_run == before->size()) delays.sum_ns = sum_ns;
  return delays;
}

}  // namespace traced
