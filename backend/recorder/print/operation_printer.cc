#include "recorder/print/operation_printer.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string>

#include "base/number_text.h"
#include "base/utf8.h"

namespace traced {
namespace {

// The job is exiting. A reader of its output gets this much time.
constexpr std::chrono::milliseconds kLastLines{300};

// Leaves room for a note.
std::string shortened(std::string line) {
  constexpr std::size_t kRoom = LineOutput::kMaxLineBytes - 100;
  if (line.size() <= kRoom) return line;
  std::size_t end = kRoom;
  // Not within a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) {
    --end;
  }
  return line.substr(0, end) + "...";
}

}  // namespace

OperationPrinter::OperationPrinter(const PrintOptions& options,
                                   const ValueOptions& values,
                                   const ChunkBuilder& known,
                                   const v1::Header& header)
    : lines_(options.ranks, known, header,
             [&known](const IssueRecord& issue) {
               return sourceLineOf(known.stack(issue.stack));
             }),
      ended_(options.when_done ? std::make_unique<EndedLines>(
                                     options.ranks, values, known, header)
                               : nullptr),
      output_(STDERR_FILENO) {}

void OperationPrinter::print(const Ring::Record& record) noexcept {
  try {
    if (ended_) return ended_->add(record);
    print(lines_.lineOf(record));
  } catch (const std::exception&) {  // no memory for the line
    ++unmade_;
  }
}

void OperationPrinter::printEnded(std::int64_t now_ns) noexcept {
  if (!ended_) return;
  try {
    for (const std::string& line : ended_->take(now_ns)) {
      std::string text = shortened(printable(line));
      if (const std::uint64_t lost = dropped()) {
        text += "; " + countOf(lost, "line") + " dropped so far";
      }
      output_.put(text);
    }
  } catch (const std::exception&) {
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
