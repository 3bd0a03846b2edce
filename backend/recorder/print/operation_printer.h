// OperationPrinter prints a line for each operation as it happens
// (TRACED_PRINT). Owned by the writer thread, which sees every record anyway.

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
  // `known` knows what the records name; it outlives the log.
  OperationPrinter(PrintMode mode, const ChunkBuilder& known,
                   const v1::Header& header);

  // Prints the line of an operation, by a record that the definitions have
  // seen. Waits for nobody.
  void see(const Ring::Record& record) noexcept;

  // Lines that were not printed.
  std::uint64_t dropped() const { return output_.dropped() + unmade_; }

  // Waits a moment for what was not printed yet.
  void finish() noexcept;

 private:
  void print(std::string line);

  OperationLines lines_;
  LineOutput output_;
  std::uint64_t unmade_ = 0;
};

}  // namespace traced
