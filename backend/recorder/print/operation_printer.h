// OperationPrinter prints one line per operation (TRACED_PRINT): when it is
// issued, or when it is over.
// Owned by the writer thread, which reads every record anyway.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "recorder/print/ended_lines.h"
#include "recorder/print/line_output.h"
#include "recorder/print/operation_lines.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/ring/ring.h"
#include "ring_io/settings/options.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class OperationPrinter {
 public:
  // `known` resolves the ids in records. It must outlive this object.
  OperationPrinter(const PrintOptions& options, const ValueOptions& values,
                   const ChunkBuilder& known, const v1::Header& header);

  // Takes a record whose definitions are in `known`. Prints the line of an
  // operation that is issued, if that is asked for. Never blocks.
  void print(const Ring::Record& record) noexcept;
  // Prints the lines of operations that are over, if that is asked for. Never
  // blocks. `now_ns`: EndedLines::kAtExit if the process ends.
  void printEnded(std::int64_t now_ns) noexcept;

  // Returns the number of lines that were not printed.
  std::uint64_t dropped() const { return output_.dropped() + unmade_; }

  // Waits briefly until the pending lines are printed.
  void finish() noexcept;

 private:
  void print(std::string line);

  OperationLines lines_;
  // nullptr: lines are printed when operations are issued.
  std::unique_ptr<EndedLines> ended_;
  LineOutput output_;
  std::uint64_t unmade_ = 0;
};

}  // namespace traced
