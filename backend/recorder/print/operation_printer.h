// OperationPrinter prints one line per operation as it happens (TRACED_PRINT).
// Owned by the writer thread, which reads every record anyway.

#pragma once

#include <cstdint>
#include <string>

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
  OperationPrinter(PrintMode mode, const ChunkBuilder& known,
                   const v1::Header& header);

  // Prints the line of an issue record whose definitions are in `known`. Never
  // blocks.
  void print(const Ring::Record& record) noexcept;

  // Returns the number of lines that were not printed.
  std::uint64_t dropped() const { return output_.dropped() + unmade_; }

  // Waits briefly until the pending lines are printed.
  void finish() noexcept;

 private:
  void print(std::string line);

  OperationLines lines_;
  LineOutput output_;
  std::uint64_t unmade_ = 0;
};

}  // namespace traced
