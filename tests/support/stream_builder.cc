#include "support/stream_builder.h"

#include <algorithm>

#include "trace_io/chunk_format.h"
#include "trace_io/row_writer.h"

namespace traced::testing {

StreamBuilder::StreamBuilder(std::uint32_t rank, std::uint32_t world_size,
                             std::uint64_t stream_id)
    : stream_id_(stream_id ? stream_id : 1000 + rank) {
  v1::Header& header = *payload_.mutable_header();
  header.set_schema(kSchema);
  header.set_stream_id(stream_id_);
  header.set_traced_version("0.1.0");
  header.set_torch_version("2.15.0");
  header.set_python_version("3.12.1");
  header.set_job("test");
  header.set_host("node-0");
  header.set_boot_id("boot-0");
  header.set_time_namespace(4026531834);
  header.set_pid(100 + rank);
  header.set_rank(rank);
  header.set_world_size(world_size);
  header.mutable_started()->set_monotonic_ns(kStartNs);
  header.mutable_started()->set_realtime_ns(kStartNs + kRealtimeOffsetNs);
}

v1::Group& StreamBuilder::addGroup(const std::string& desc, std::uint32_t first,
                                   std::uint32_t count) {
  v1::Group& group = *payload_.add_group();
  group.set_id(static_cast<std::uint32_t>(payload_.group_size()));
  group.set_name(std::to_string(payload_.group_size() - 1));
  group.set_desc(desc);
  group.set_backend("gloo");
  group.set_leg("cpu");
  group.set_size(count);
  v1::RankRange& range = *group.add_member();
  range.set_first(first);
  range.set_count(count);
  range.set_stride(1);
  return group;
}

v1::Call& StreamBuilder::addCall(v1::Operation op, std::uint32_t group,
                                 std::uint64_t bytes_in,
                                 std::uint64_t bytes_out, v1::DType dtype) {
  v1::Call& call = *payload_.add_call();
  call.set_id(static_cast<std::uint32_t>(payload_.call_size()));
  call.set_op(op);
  call.set_group(group);
  call.set_bytes_in(bytes_in);
  call.set_bytes_out(bytes_out);
  const bool receives = op == v1::OPERATION_RECV;
  v1::TensorRun& run = *(receives ? call.add_output() : call.add_input());
  run.set_dtype(dtype);
  run.add_shape(
      static_cast<std::int64_t>((receives ? bytes_out : bytes_in) / 4));
  return call;
}

v1::Context& StreamBuilder::addContext() {
  v1::Context& context = *payload_.add_context();
  context.set_id(static_cast<std::uint32_t>(payload_.context_size()));
  return context;
}

v1::Stack& StreamBuilder::addStack() {
  v1::Stack& stack = *payload_.add_stack();
  stack.set_id(static_cast<std::uint32_t>(payload_.stack_size()));
  return stack;
}

std::uint32_t StreamBuilder::addText(const std::string& text) {
  v1::Text& made = *payload_.add_text();
  made.set_id(static_cast<std::uint32_t>(payload_.text_size()));
  made.set_text(text);
  return made.id();
}

void StreamBuilder::addOperation(std::uint64_t id, std::int64_t ns,
                                 std::uint32_t call, std::uint64_t seq,
                                 std::int64_t completion_ns) {
  add(IssueRow{.op = id, .issue_ns = ns, .call = call, .seq = seq});
  add(ReturnRow{.op = id, .return_ns = ns + 10'000});
  add(DoneRow{
      .op = id, .end_ns = ns + completion_ns, .source = v1::END_SOURCE_FUTURE});
  add(WaitRow{.op = id,
              .wait_begin_ns = ns + 20'000,
              .wait_ns = static_cast<std::uint64_t>(
                  std::max<std::int64_t>(completion_ns - 20'000, 0)),
              .saw_end = 1});
}

void StreamBuilder::drop(v1::DropReason reason, std::uint64_t records) {
  v1::Accounts& accounts = *payload_.mutable_accounts();
  v1::Drop& drop = *accounts.add_drop();
  drop.set_reason(reason);
  drop.set_records(records);
  accounts.set_produced(accounts.produced() + records);
}

std::string StreamBuilder::takeChunk(bool closed, int zstd_level) {
  const std::uint64_t rows = rowCount();
  v1::Accounts& accounts = *payload_.mutable_accounts();
  accounts.set_produced(accounts.produced() + rows);
  accounts.set_stored(accounts.stored() + rows);
  accounts.set_closed(closed);
  v1::Payload payload = payload_;
  encodeRows(payload);
  issued_.clear();
  returned_.clear();
  done_.clear();
  waited_.clear();
  released_.clear();
  method_.clear();
  marked_.clear();
  resources_.clear();
  functions_.clear();
  hashes_.clear();
  statistics_.clear();
  replicas_.clear();
  return encode(payload, rows, zstd_level);
}

std::string StreamBuilder::encode(const v1::Payload& payload,
                                  std::uint64_t rows, int zstd_level) {
  const ChunkSpan span{stream_id_, position_, position_ + rows};
  position_ += rows;
  return ChunkEncoder(zstd_level).encode(payload, span);
}

std::uint64_t StreamBuilder::rowCount() const {
  return issued_.size() + returned_.size() + done_.size() + waited_.size() +
         released_.size() + method_.size() + marked_.size() +
         resources_.size() + functions_.size() + hashes_.size() +
         statistics_.size() + replicas_.size();
}

void StreamBuilder::encodeRows(v1::Payload& payload) const {
  // The anchor is read when the chunk is closed, which is after all of its
  // rows.
  std::int64_t anchor_ns = std::max(kStartNs, payload.anchor().monotonic_ns());
  for (const IssueRow& row : issued_) {
    anchor_ns = std::max(anchor_ns, row.issue_ns);
  }
  payload.mutable_anchor()->set_monotonic_ns(anchor_ns);
  payload.mutable_anchor()->set_realtime_ns(anchor_ns + kRealtimeOffsetNs);

  for (const IssueRow& row : issued_) addRow(payload, row);
  for (const ReturnRow& row : returned_) addRow(payload, row);
  for (const DoneRow& row : done_) addRow(payload, row);
  for (const WaitRow& row : waited_) addRow(payload, row);
  for (const ReleaseRow& row : released_) addRow(payload, row);
  for (const MethodRow& row : method_) addRow(payload, row);
  for (const MarkRow& row : marked_) addRow(payload, row);
  for (const ResourceRow& row : resources_) addRow(payload, row);
  for (const FunctionRow& row : functions_) addRow(payload, row);
  for (const HashRow& row : hashes_) addRow(payload, row);
  for (const StatisticsRow& row : statistics_) addRow(payload, row);
  for (const ReplicaRow& row : replicas_) addRow(payload, row);
  finishRows(payload);
}

}  // namespace traced::testing
