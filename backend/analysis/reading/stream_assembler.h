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
  // `room` is a vector whose memory is reused for the operations, so that
  // readers of many streams avoid allocations.
  explicit StreamAssembler(const v1::Header& header,
                           std::vector<AssembledOperation> room = {}) {
    table_.header = header;
    table_.operations = std::move(room);
    table_.operations.clear();
    table_.in_seq_order = true;
  }

  // Adds the next payload in stream order. Moves its definitions out. `rows`:
  // its rows if they are not part of it, see ChunkDecoder.
  void add(v1::Payload& payload, PackedRows* rows = nullptr);

  // The table so far. The caller maintains its counters of chunks.
  StreamTable& table() { return table_; }

  // Returns the finished table. Operations without an issue row are left out.
  StreamTable finish() &&;

 private:
  // Properties of a call that are needed for each of its operations.
  struct CallSummary {
    bool simulated = false;
    // Index into `last_seqs_`; 0 if the group does not number this call.
    std::uint32_t counter = 0;
  };

  // Prepares the calls that the latest payload defined.
  void noteCalls();
  // Counts an operation if it is simulated. Notes whether the collectives of
  // its group are in order of their numbers.
  void noteCall(const AssembledOperation& op);
  void takeAccounts(const v1::Accounts& accounts);
  void takeProcessEnd(const v1::ProcessEnd& seen);
  void take(const IssueRow& row);
  void take(const MethodRow& row);
  void take(const MarkRow& row);
  void take(const ResourceRow& row) { table_.resources.push_back(row); }
  void take(const FunctionRow& row);
  void take(const ThreadSampleRow& row);
  void take(const HashRow& row) { table_.hashes.push_back(row); }
  void take(const StatisticsRow& row) { table_.statistics.push_back(row); }
  void take(const ReplicaRow& row) { table_.replicas.push_back(row); }
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
  // Returns whether `id` is new and the highest so far. True for most issue
  // rows.
  bool isLatest(std::uint64_t id) const {
    const std::vector<AssembledOperation>& operations = table_.operations;
    return ordered_ && (operations.empty() || operations.back().id < id);
  }
  void applyIssue(const IssueRow& row, AssembledOperation& op);
  void takeKnown(const IssueRow& row);
  void updateLast(Instant instant) {
    if (instant.isAfter(table_.last)) table_.last = instant;
  }

  StreamTable table_;
  const AssembledOperation blank_;
  // Per call of the definitions; see noteCall().
  std::vector<CallSummary> calls_;
  // Last sequence number of each group's collectives, by CallSummary::counter.
  std::vector<std::uint64_t> last_seqs_ = {0};
  absl::flat_hash_map<std::uint32_t, std::uint32_t> counter_of_group_;
  // Number of operations whose issue row was found.
  std::size_t issued_ = 0;
  // The operation of the previous row; nullptr before the first. Valid until an
  // operation is added, which replaces it.
  AssembledOperation* here_ = nullptr;
  // Index of the operation after `here_`.
  std::size_t next_ = 0;
  // Whether the operations are sorted by id. If not, `index_by_id_` is used.
  bool ordered_ = true;
  absl::flat_hash_map<std::uint64_t, std::size_t> index_by_id_;
};

}  // namespace traced
