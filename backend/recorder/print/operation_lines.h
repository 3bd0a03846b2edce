// OperationLines formats an issue record as a JSON line.
// docs/reference/settings.md, "Printing", describes the fields.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
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

  // The part of the line that all repetitions of a call share.
  struct KnownCall {
    // "" if the call is not printed.
    std::string head;
    std::uint64_t group_hash = 0;
    bool is_message = false;
    // Global ranks of a message. The sequence number is printed as 0 if either
    // is unknown.
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
  };

  // Returns the cached description of a call. Valid until the next call.
  const KnownCall& knownCall(std::uint32_t id);
  KnownCall describe(const v1::Call& call, const v1::Group& group) const;
  // Returns the UTC time, such as "2025-01-31T12:00:00.123456789Z".
  std::string timeText(std::int64_t monotonic_ns);

  const PrintMode mode_;
  const ChunkBuilder& known_;
  const v1::Header header_;
  const SourceLine source_line_;
  std::unordered_map<std::uint32_t, KnownCall> calls_;
  // The latest clock readings, refreshed occasionally.
  ClockReading clocks_;
};

}  // namespace traced
