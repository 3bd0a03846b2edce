// StreamAssembler builds a StreamTable from the payloads of a stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"
#include "trace_io/packed_rows.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Not thread safe.
class StreamAssembler {
 public:
  // `room` is used for the operations, so that a reader of many streams need
  // not have it made and cleared again for each.
  explicit StreamAssembler(const v1::Header& header,
                           std::vector<AssembledOperation> room = {}) {
    table_.header = header;
    table_.operations = std::move(room);
    table_.operations.clear();
    table_.in_seq_order = true;
  }

  // Adds the next payload, in the stream's order. Its definitions are moved
  // out of it. `rows`: its rows, where they are not in it; see ChunkDecoder.
  void add(v1::Payload& payload, PackedRows* rows = nullptr);

  // The table so far: what is said of chunks and not of their payloads is
  // counted by the caller.
  StreamTable& table() { return table_; }

  // Gives the table away. Operations without an issue row are left out.
  StreamTable finish() &&;

 private:
  // What is asked of a call for each of its operations.
  struct CallSummary {
    bool simulated = false;
    // Index into last_seqs_; 0 for what its group does not number.
    std::uint32_t counter = 0;
  };

  void noteCalls();
  void noteCall(const AssembledOperation& op);
  void takeAccounts(const v1::Accounts& accounts);
  void takeProcessEnd(const v1::ProcessEnd& seen);
  void take(const IssueRow& row);
  void take(const MethodRow& row);
  void take(const MarkRow& row);
  void take(const ResourceRow& row) { table_.resources.push_back(row); }
  template <ProgressRow Row>
  void take(const Row& row);
  template <typename Row>
  void take(const Row&) {}
  AssembledOperation& operation(std::uint64_t id) {
    if (here_ && here_->id == id) return *here_;
    std::vector<AssembledOperation>& operations = table_.operations;
    if (next_ >= operations.size() || operations[next_].id != id) search(id);
    here_ = &operations[next_++];
    return *here_;
  }
  void search(std::uint64_t id);
  void searchUnordered(std::uint64_t id);
  // Most issue rows are about a new operation, the latest so far.
  bool isLatest(std::uint64_t id) const {
    const std::vector<AssembledOperation>& operations = table_.operations;
    return ordered_ && (operations.empty() || operations.back().id < id);
  }
  void tell(const IssueRow& row, AssembledOperation& op);
  void takeKnown(const IssueRow& row);
  void see(Instant instant) {
    if (instant.isAfter(table_.last)) table_.last = instant;
  }

  StreamTable table_;
  const AssembledOperation blank_;
  // Per call of the definitions; see noteCall().
  std::vector<CallSummary> calls_;
  // Of the collectives of each group so far, by CallSummary::counter.
  std::vector<std::uint64_t> last_seqs_ = {0};
  absl::flat_hash_map<std::uint32_t, std::uint32_t> counter_of_group_;
  // Operations whose issue row was found.
  std::size_t issued_ = 0;
  // The operation named last; nullptr before any. Nothing is added but is
  // named.
  AssembledOperation* here_ = nullptr;
  // Index of the operation after that one.
  std::size_t next_ = 0;
  // The operations are in the order of their ids; else the index knows them.
  bool ordered_ = true;
  absl::flat_hash_map<std::uint64_t, std::size_t> index_by_id_;
};

}  // namespace traced
