#include "recorder/watch/hang_reports.h"

#include <utility>

#include "base/group_label.h"

namespace traced {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::string tookText(std::int64_t ns) {
  const std::int64_t tenths = ns / (kNsPerSecond / 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string subject(const HangReport& report) {
  std::string text = report.operation;
  if (report.peer >= 0) {
    text += (report.operation == "send" ? " to rank " : " from rank ") +
            std::to_string(report.peer);
  }
  if (report.seq > 0) text += " #" + std::to_string(report.seq);
  return text + " on group \"" +
         groupLabel(report.group_name, report.group_desc) + "\" (" +
         std::to_string(report.bytes) + " bytes)";
}

}  // namespace

void HangReports::put(const HangReport& report) {
  const std::lock_guard lock(mutex_);
  if (reports_.size() == kMax) reports_.pop_front();
  reports_.push_back(report);
  changed_.notify_one();
}

std::optional<HangReport> HangReports::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !reports_.empty(); });
  if (closed_) return std::nullopt;
  HangReport report = std::move(reports_.front());
  reports_.pop_front();
  return report;
}

void HangReports::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void HangReports::open() {
  const std::lock_guard lock(mutex_);
  closed_ = false;
}

std::string sentenceOf(const HangReport& report, std::uint32_t rank) {
  std::string head = "rank " + std::to_string(rank) + ": " + subject(report);
  switch (report.state) {
    case HangReport::State::kUnfinished:
      return head + " has not ended for " + tookText(report.took_ns);
    case HangReport::State::kUndecided:
      return head + " was issued " + tookText(report.took_ns) +
             " ago and its thread has called nothing since; whether it has "
             "ended shows only in a wait";
    case HangReport::State::kLate:
      return head + " took " + tookText(report.took_ns);
  }
  return head;
}

}  // namespace traced
