#include "recorder/operation_log.h"

#include <unistd.h>

#include <exception>
#include <string>

namespace traced {
namespace {

// The job is about to end, and somebody who reads its output gets so long.
constexpr std::chrono::milliseconds kLastLines{300};

}  // namespace

OperationLog::OperationLog(PrintMode mode, const ChunkBuilder& known,
                           const v1::Header& header)
    : lines_(mode, known, header), output_(STDERR_FILENO) {}

void OperationLog::see(const Ring::Record& record) noexcept {
  try {
    print(lines_.lineOf(record));
  } catch (const std::exception&) {  // no memory for the line
    ++unmade_;
  }
}

void OperationLog::print(std::string line) {
  if (line.empty()) return;
  if (const std::uint64_t lost = dropped()) {
    line.pop_back();  // the closing brace
    line += ",\"lines_dropped\":" + std::to_string(lost) + "}";
  }
  output_.put(line);
}

void OperationLog::finish() noexcept { output_.finish(kLastLines); }

}  // namespace traced
