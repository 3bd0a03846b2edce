// OperationLines formats an issue record as a JSON line.
// docs/reference/settings.md, "Printing", describes the fields.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "recorder/print/issued_call.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/ring/ring.h"
#include "ring_io/settings/options.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class OperationLines {
 public:
  // Returns the source line of an operation, such as "train.py:12", or "" if
  // unknown.
  using SourceLine = std::function<std::string(const IssueRecord&)>;

  // `known` resolves the ids in records. It must outlive this object.
  OperationLines(PrintMode mode, const ChunkBuilder& known,
                 const v1::Header& header, SourceLine source_line = {});

  // Returns the line without its newline. Returns "" for any other record, and
  // for an operation that another rank prints.
  std::string lineOf(const Ring::Record& record);

 private:
  static constexpr std::size_t kMaxCalls = 4096;

  // Returns the cached description of a call, without a head if it is not
  // printed. Valid until the next call.
  const IssuedCall& knownCall(std::uint32_t id);
  // Returns the wall-clock time in ns.
  std::int64_t realtimeAt(std::int64_t monotonic_ns);

  const PrintMode mode_;
  const ChunkBuilder& known_;
  const v1::Header header_;
  const SourceLine source_line_;
  std::unordered_map<std::uint32_t, IssuedCall> calls_;
  // The latest clock readings, refreshed occasionally.
  ClockReading clocks_;
};

}  // namespace traced
