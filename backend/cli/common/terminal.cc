#include "cli/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/common/wrap.h"

namespace traced {
namespace {

// Wider ones are no screens.
constexpr std::size_t kMostColumns = 1000;

std::size_t saidColumns() {
  std::size_t columns = 0;
  const char* said = std::getenv("COLUMNS");
  if (said && absl::SimpleAtoi(said, &columns)) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

std::string shown(const char* how, const std::string& text, bool colours) {
  if (!colours) return text;
  // The end of a line stays one.
  const bool line = !text.empty() && text.back() == '\n';
  return absl::StrCat("\033[", how, "m", text.substr(0, text.size() - line),
                      "\033[0m", line ? "\n" : "");
}

}  // namespace

std::size_t screenColumns() {
  return std::clamp(saidColumns(), kScreenColumns, kMostColumns);
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

}  // namespace traced
