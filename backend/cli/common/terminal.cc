#include "cli/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kMinColumns = 60;
constexpr std::size_t kMaxColumns = 1000;

std::size_t columnsFromEnvironment() {
  std::size_t columns = 0;
  const char* setting = std::getenv("COLUMNS");
  if (setting && absl::SimpleAtoi(setting, &columns)) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

std::string shown(const char* how, const std::string& text, bool colours) {
  if (!colours) return text;
  // Keeps the final newline outside of the escape codes.
  const bool line = !text.empty() && text.back() == '\n';
  return absl::StrCat("\033[", how, "m", text.substr(0, text.size() - line),
                      "\033[0m", line ? "\n" : "");
}

constexpr std::uint64_t kLongBytes = std::uint64_t{256} << 20;

}  // namespace

std::size_t screenColumns() {
  const std::size_t columns = columnsFromEnvironment();
  return columns == 0 ? kScreenColumns
                      : std::clamp(columns, kMinColumns, kMaxColumns);
}

bool wantsColours() {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && (!none || !*none) && terminal &&
         std::strcmp(terminal, "dumb") != 0;
}

std::string bold(const std::string& text, bool colours) {
  return shown("1", text, colours);
}

std::string red(const std::string& text, bool colours) {
  return shown("1;31", text, colours);
}

std::string yellow(const std::string& text, bool colours) {
  return shown("33", text, colours);
}

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1) {}

std::function<void(std::uint64_t, std::uint64_t)> Progress::callback() {
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
