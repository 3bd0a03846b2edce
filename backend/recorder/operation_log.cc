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
    : lines_(mode, known, header),
      output_(STDERR_FILENO),
      rank_(header.rank()) {}

void OperationLog::see(const Ring::Record& record) noexcept {
  try {
    print(lines_.lineOf(record));
  } catch (const std::exception&) {  // no memory for the line
    ++unmade_;
  }
}

void OperationLog::print(const std::string& line) {
  if (line.empty()) return;
  const std::uint64_t dropped = output_.dropped();
  output_.put(line);
  if (output_.dropped() != dropped || dropped == told_dropped_) return;
  output_.put(R"({"traced":"dropped","rank":)" + std::to_string(rank_) +
              ",\"lines\":" + std::to_string(dropped) + "}");
  told_dropped_ = dropped;
}

void OperationLog::finish() noexcept { output_.finish(kLastLines); }

}  // namespace traced
