// StreamBuilder writes the trace of one synthetic rank, chunk by chunk. The
// test chooses every value.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace_io/chunk_encoder.h"
#include "trace_io/rows.h"
#include "traced/v1/trace.pb.h"

namespace traced::testing {

class StreamBuilder {
 public:
  // Creates a rank of a job of `world_size`, on its own host's clock, started
  // at monotonic kStartNs. Stream ids count from `stream_id`, or from 1000 +
  // rank.
  explicit StreamBuilder(std::uint32_t rank, std::uint32_t world_size = 2,
                         std::uint64_t stream_id = 0);

  static constexpr std::int64_t kStartNs = 1'000'000'000;
  // A time for operations, one second after the start.
  static constexpr std::int64_t kIssueNs = kStartNs + 1'000'000'000;
  static constexpr std::int64_t kRealtimeOffsetNs = 1'700'000'000'000'000'000;

  v1::Header& header() { return *payload_.mutable_header(); }
  v1::Payload& payload() { return payload_; }

  // Add definitions, which stay in all later chunks, as in a recorder. Ids
  // count from 1.
  v1::Group& addGroup(const std::string& desc, std::uint32_t first,
                      std::uint32_t count);
  v1::Call& addCall(v1::Operation op, std::uint32_t group,
                    std::uint64_t bytes_in, std::uint64_t bytes_out,
                    v1::DType dtype = v1::DTYPE_FLOAT32);
  std::uint32_t addText(const std::string& text);
  v1::Context& addContext();
  v1::Stack& addStack();

  // Add rows to the chunk being filled.
  void add(const IssueRow& row) { issued_.push_back(row); }
  void add(const ReturnRow& row) { returned_.push_back(row); }
  void add(const DoneRow& row) { done_.push_back(row); }
  void add(const WaitRow& row) { waited_.push_back(row); }
  void add(const ReleaseRow& row) { released_.push_back(row); }
  void add(const MethodRow& row) { method_.push_back(row); }
  void add(const MarkRow& row) { marked_.push_back(row); }
  void add(const ResourceRow& row) { resources_.push_back(row); }
  void add(const FunctionRow& row) { functions_.push_back(row); }
  void add(const HashRow& row) { hashes_.push_back(row); }
  void add(const StatisticsRow& row) { statistics_.push_back(row); }
  void add(const ReplicaRow& row) { replicas_.push_back(row); }
  // Marks the start of a training step. `position` is comparable with operation
  // ids.
  void addStep(std::uint64_t position, std::int64_t ns, std::uint64_t number) {
    add(MarkRow{position, ns, v1::MARK_KIND_STEP, number});
  }
  // Adds an operation that was issued at `ns` and returned 10 us later. A
  // future reported its end after `completion_ns`, and the program waited until
  // then.
  void addOperation(std::uint64_t id, std::int64_t ns, std::uint32_t call,
                    std::uint64_t seq, std::int64_t completion_ns);

  // Adds dropped records to the accounts of this and all later chunks.
  void drop(v1::DropReason reason, std::uint64_t records);

  // Returns the framed chunk of all rows added since the last call.
  std::string takeChunk(bool closed = false, int zstd_level = 1);
  // Encodes a payload unchanged, for damage that rows cannot express.
  std::string encode(const v1::Payload& payload, std::uint64_t rows,
                     int zstd_level = 1);

  std::uint64_t streamId() const { return stream_id_; }

 private:
  void encodeRows(v1::Payload& payload) const;
  std::uint64_t rowCount() const;

  const std::uint64_t stream_id_;
  v1::Payload payload_;
  std::vector<IssueRow> issued_;
  std::vector<ReturnRow> returned_;
  std::vector<DoneRow> done_;
  std::vector<WaitRow> waited_;
  std::vector<ReleaseRow> released_;
  std::vector<MethodRow> method_;
  std::vector<MarkRow> marked_;
  std::vector<ResourceRow> resources_;
  std::vector<FunctionRow> functions_;
  std::vector<HashRow> hashes_;
  std::vector<StatisticsRow> statistics_;
  std::vector<ReplicaRow> replicas_;
  std::uint64_t position_ = 0;
};

}  // namespace traced::testing
