// OperationLines makes the JSON line of an operation, from its issue record.
// docs/reference/settings.md, "Printing", describes its fields.

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
  // Where in the program an operation was called, "train.py:12"; "" when that
  // is not known.
  using SourceLine = std::function<std::string(const IssueRecord&)>;

  // `known` knows what the records name; it outlives the lines.
  OperationLines(PrintMode mode, const ChunkBuilder& known,
                 const v1::Header& header, SourceLine source_line = {});

  // Without its end; "" for a record that has none, or that is another rank's
  // to print.
  std::string lineOf(const Ring::Record& record);

 private:
  static constexpr std::size_t kMaxCalls = 4096;

  // What does not change from one repetition of a call to the next.
  struct KnownCall {
    // "" where nothing is printed.
    std::string head;
    std::uint64_t group_hash = 0;
    bool is_message = false;
    // Of a message, global ranks; the number has 0 where one is not known.
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
  };

  const KnownCall& knownCall(std::uint32_t id);
  KnownCall describe(const v1::Call& call, const v1::Group& group) const;
  bool prints(const v1::Call& call, const v1::Group& group) const;
  std::string timeText(std::int64_t monotonic_ns);

  const PrintMode mode_;
  const ChunkBuilder& known_;
  const v1::Header header_;
  const SourceLine source_line_;
  std::unordered_map<std::uint32_t, KnownCall> calls_;
  // The clocks, read now and then.
  ClockReading clocks_;
};

}  // namespace traced
