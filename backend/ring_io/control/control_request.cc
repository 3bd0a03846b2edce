#include "ring_io/control/control_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace traced {
namespace {

constexpr std::string_view kFirstLine = "traced request 1";
constexpr std::size_t kMaxBytes = std::size_t{64} << 10;

// Removes the text before `end` and the separator itself. Returns that text, or
// all text if `end` is missing.
std::string_view takeUntil(char end, std::string_view& text) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

template <typename Number>
bool readNumber(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

// Parses ranks such as "0-3,8".
bool readRanks(std::string_view text, ControlRequest& request) {
  while (!text.empty()) {
    std::string_view run = takeUntil(',', text);
    const bool is_one = run.find('-') == std::string_view::npos;
    std::uint32_t first = 0, last = 0;
    if (!readNumber(takeUntil('-', run), first)) return false;
    if (is_one) {
      last = first;
    } else if (!readNumber(run, last)) {
      return false;
    }
    request.ranks.emplace_back(first, last);
  }
  return !request.ranks.empty();
}

bool readLine(std::string_view line, ControlRequest& request) {
  const std::string_view word = takeUntil(' ', line);
  if (word == "id") return readNumber(line, request.id);
  if (word == "ranks") return readRanks(line, request);
  if (word != "set") return false;
  const std::string_view name = takeUntil(' ', line);
  request.settings.emplace_back(name, line);
  return true;
}

// Reads a regular file if its owner is root or this user; otherwise returns "".
std::string readOwned(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_uid != 0 && status.st_uid != geteuid())) {
    return "";
  }
  std::string text(kMaxBytes + 1, '\0');
  const ssize_t bytes = read(fd, text.data(), text.size());
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

}  // namespace

bool ControlRequest::concerns(std::uint32_t rank) const {
  return ranks.empty() ||
         std::any_of(ranks.begin(), ranks.end(), [rank](const auto& run) {
           return run.first <= rank && rank <= run.second;
         });
}

std::string textOf(const ControlRequest& request) {
  std::string text =
      std::string(kFirstLine) + "\nid " + std::to_string(request.id) + "\n";
  std::string ranks;
  for (const auto& [first, last] : request.ranks) {
    ranks += (ranks.empty() ? "" : ",") + std::to_string(first);
    if (last != first) ranks += "-" + std::to_string(last);
  }
  if (!ranks.empty()) text += "ranks " + ranks + "\n";
  for (const auto& [name, value] : request.settings) {
    text += "set " + name + " " + value + "\n";
  }
  return text;
}

std::optional<ControlRequest> parseRequest(std::string_view text) {
  if (text.size() > kMaxBytes || takeUntil('\n', text) != kFirstLine) {
    return std::nullopt;
  }
  ControlRequest request;
  while (!text.empty()) {
    if (!readLine(takeUntil('\n', text), request)) return std::nullopt;
  }
  if (request.id == 0) return std::nullopt;
  return request;
}

std::optional<ControlRequest> readRequest(const std::string& path) {
  // O_NONBLOCK: a pipe at this path must not block.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  const std::string text = readOwned(fd);
  close(fd);
  return parseRequest(text);
}

}  // namespace traced
