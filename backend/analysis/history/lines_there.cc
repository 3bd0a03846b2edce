#include "analysis/history/lines_there.h"

#include <unistd.h>

#include <cerrno>

#include "analysis/history/history_limits.h"
#include "analysis/history/history_line.h"
#include "analysis/history/line_splitter.h"

namespace traced {
namespace {

// Of a line that something else has written anew all is read.
std::string runIdOf(std::string_view line) {
  const std::string_view id = idOfLine(line);
  if (!id.empty()) return std::string(id);
  const auto read = parseHistoryLine(line);
  return read ? read->run.id : "";
}

}  // namespace

bool LinesThere::read(int fd) {
  // A line is known by its beginning, but the first is looked at whole.
  LineSplitter lines(kMostLineBytes,
                     [this](std::string_view line) { look(line); });
  std::string block(std::size_t{1} << 20, '\0');
  off_t at = 0;
  while (true) {
    const ssize_t count = pread(fd, block.data(), block.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    lines.add({block.data(), static_cast<std::size_t>(count)});
    at += count;
  }
  ends_in_newline_ = lines.endsInNewline();
  lines.finish();
  return true;
}

void LinesThere::look(std::string_view line) {
  if (is_first_) is_history_ = parseHistoryLine(line).ok();
  is_first_ = false;
  has_run_ |= runIdOf(line) == id_;
}

}  // namespace traced
