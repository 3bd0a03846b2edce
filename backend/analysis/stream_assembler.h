// StreamAssembler builds a StreamTable from the payloads of a stream.

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream_table.h"
#include "trace_io/rows.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Not thread safe.
class StreamAssembler {
 public:
  explicit StreamAssembler(const v1::Header& header) { table_.header = header; }

  // Adds the next payload, in the stream's order. Its definitions are moved
  // out of it.
  void add(v1::Payload& payload);

  // The table so far: what is said of chunks and not of their payloads is
  // counted by the caller.
  StreamTable& table() { return table_; }

  // Gives the table away. Operations without an issue row are left out.
  StreamTable finish() &&;

 private:
  void takeAccounts(const v1::Accounts& accounts);
  void addRows(const v1::Payload& payload);
  void apply(const IssueRow& row);
  void apply(const ReturnRow& row);
  void apply(const DoneRow& row);
  void apply(const WaitRow& row);
  void apply(const ReleaseRow& row);
  void apply(const MarkRow& row);
  AssembledOperation& operation(std::uint64_t id);
  void see(std::int64_t ns);

  StreamTable table_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> index_by_id_;
  // Index of the operation after the one named last.
  std::uint32_t next_ = 0;
};

}  // namespace traced
