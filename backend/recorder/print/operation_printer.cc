#include "recorder/print/operation_printer.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string>

namespace traced {
namespace {

// The job is exiting. A reader of its output gets this much time.
constexpr std::chrono::milliseconds kLastLines{300};
// Only the end of a long file name is printed.
constexpr std::size_t kMaxFileBytes = 200;

// Returns "train.py:12", or "" if TRACED_STACKS recorded no call site.
std::string sourceLineOf(const v1::Stack* stack) {
  const int site = stack ? static_cast<int>(stack->site()) - 1 : -1;
  if (site < 0 || site >= stack->frame_size()) return "";
  const v1::Frame& frame = stack->frame(site);
  const std::string& file = frame.file();
  return file.substr(file.size() - std::min(file.size(), kMaxFileBytes)) + ":" +
         std::to_string(frame.line());
}

}  // namespace

OperationPrinter::OperationPrinter(PrintMode mode, const ChunkBuilder& known,
                                   const v1::Header& header)
    : lines_(mode, known, header,
             [&known](const IssueRecord& issue) {
               return sourceLineOf(known.stack(issue.stack));
             }),
      output_(STDERR_FILENO) {}

void OperationPrinter::print(const Ring::Record& record) noexcept {
  try {
    print(lines_.lineOf(record));
  } catch (const std::exception&) {  // no memory for the line
    ++unmade_;
  }
}

void OperationPrinter::print(std::string line) {
  if (line.empty()) return;
  if (const std::uint64_t lost = dropped()) {
    line.pop_back();  // the closing brace
    line += ",\"lines_dropped\":" + std::to_string(lost) + "}";
  }
  output_.put(line);
}

void OperationPrinter::finish() noexcept { output_.finish(kLastLines); }

}  // namespace traced
