// RingNews returns what a live process recorded since the last poll, as rows
// and definitions of a trace.

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

// The location of a trace's files, and the owner of its ring.
struct WrittenTrace {
  std::string path;
  std::uint64_t stream_id = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};

// Returns the definitions that the rows of `named` use, as far as the newest
// files of the trace contain them. Reads several MiB and may block on the file
// system.
v1::Payload findDefinitions(const WrittenTrace& trace, v1::Payload named);

// Not thread safe.
class RingNews {
 public:
  // Behaves like RingTail::open().
  static std::optional<Result<std::unique_ptr<RingNews>>> open(
      const RingFile& ring);

  const RingTail& tail() const { return *tail_; }

  // Reads the new records. Returns false if the ring can no longer be read.
  bool poll();
  // Return the results of the last poll. Definitions that rows use are here, in
  // earlier polls, or must be looked up with findDefinitions().
  const std::vector<RingRow>& rows() const { return rows_; }
  v1::Payload& definitions() { return definitions_; }

  WrittenTrace trace() const;

 private:
  explicit RingNews(std::unique_ptr<RingTail> tail);

  void add(const Ring::Record& record);

  const std::unique_ptr<RingTail> tail_;
  // Collects definitions only, no rows.
  ChunkBuilder builder_;
  std::vector<RingRow> rows_;
  v1::Payload definitions_;
};

}  // namespace traced
