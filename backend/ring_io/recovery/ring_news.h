// RingNews is what a process that lives recorded since it was asked last, as
// the rows and definitions of a trace.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/recovery/ring_tail.h"
#include "trace_io/row_tables.h"
#include "traced/v1/trace.pb.h"

namespace traced {

template <typename... Rows>
std::variant<Rows...> rowOfAny(TypeList<Rows...>);
using RingRow = decltype(rowOfAny(AllRows()));

// Where the files of a trace are, and who owns its ring.
struct WrittenTrace {
  std::string path;
  std::uint64_t stream_id = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};

// Returns the definitions of what the rows of `named` name, as far as the ends
// of the trace's files have them. Reads some MiB, and may block on their file
// system.
v1::Payload findDefinitions(const WrittenTrace& trace, v1::Payload named);

// Not thread safe.
class RingNews {
 public:
  // As RingTail::open().
  static std::optional<Result<std::unique_ptr<RingNews>>> open(
      const RingFile& ring);

  const RingTail& tail() const { return *tail_; }

  // Reads what is new. False when the ring can no longer be read.
  bool poll();
  // Of the last poll. What rows name is defined here, or was before, or is to
  // be looked up.
  const std::vector<RingRow>& rows() const { return rows_; }
  v1::Payload& definitions() { return definitions_; }

  WrittenTrace trace() const;

 private:
  explicit RingNews(std::unique_ptr<RingTail> tail);

  void add(const Ring::Record& record);

  const std::unique_ptr<RingTail> tail_;
  // Of definitions; of no rows.
  ChunkBuilder builder_;
  std::vector<RingRow> rows_;
  v1::Payload definitions_;
};

}  // namespace traced
