#include "recorder/hang_reports.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/group_label.h"

namespace traced {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// Labels are the program's, and may be anything.
std::string quoted(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c))) c = '?';
  }
  return '"' + text + '"';
}

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
  return text + " on group " +
         quoted(groupLabel(report.group_name, report.group_desc)) + " (" +
         std::to_string(report.bytes) + " bytes)";
}

}  // namespace

void HangReports::put(const HangReport& report) {
  const std::lock_guard lock(mutex_);
  if (reports_.size() == kMost) reports_.pop_front();
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

std::string lineOf(const HangReport& report, std::uint32_t rank) {
  const std::string head =
      "traced: rank " + std::to_string(rank) + ": " + subject(report);
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

// A pipe that is ready takes at least so much without waiting.
void logWithoutWaiting(const std::string& line) noexcept {
  pollfd place{STDERR_FILENO, POLLOUT, 0};
  if (poll(&place, 1, 0) != 1 || !(place.revents & POLLOUT)) return;
  char text[512];
  const std::size_t bytes = std::min(line.size(), sizeof text - 1);
  line.copy(text, bytes);
  text[bytes] = '\n';
  static_cast<void>(!write(STDERR_FILENO, text, bytes + 1));
}

}  // namespace traced
