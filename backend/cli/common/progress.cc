#include "cli/common/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace traced {
namespace {

constexpr std::uint64_t kLongBytes = std::uint64_t{256} << 20;

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1) {}

ReadProgress Progress::callback() {
  if (!terminal_) return {};
  return [this](std::uint64_t bytes, std::uint64_t total) {
    if (total >= kLongBytes) show(bytes, total);
  };
}

void Progress::show(std::uint64_t bytes, std::uint64_t total) {
  const int percent = static_cast<int>(100.0 * static_cast<double>(bytes) /
                                       static_cast<double>(total));
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  std::cerr << "\r" << what_ << " " << percent << " %" << std::flush;
}

void Progress::done() {
  if (shown_percent_ >= 0) std::cerr << "\r\033[K" << std::flush;
  shown_percent_ = -1;
}

}  // namespace traced
