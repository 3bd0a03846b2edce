#include "recorder/chunk_builder.h"

#include <string_view>

#include "base/utf8.h"
#include "recorder/encode_definitions.h"

namespace traced {
namespace {

template <typename Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// Wraps, as a reader's sums do: instants of a dead process's ring may be
// anything.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                   static_cast<std::uint64_t>(b));
}

// A column with only defaults is left out (docs/format.md, "Rows").
template <typename Column>
void dropIfZero(Column* column) {
  for (const auto value : *column) {
    if (value != 0) return;
  }
  column->Clear();
}

// The first instant of a table is told relative to the anchor, which is read
// only when the chunk is closed.
template <typename Column>
void anchorFirst(Column* column, std::int64_t anchor_ns) {
  if (!column->empty()) column->Set(0, difference(column->Get(0), anchor_ns));
}

void anchorRows(v1::Payload& payload, std::int64_t ns) {
  anchorFirst(payload.mutable_issued()->mutable_issue_ns_delta(), ns);
  anchorFirst(payload.mutable_returned()->mutable_return_ns_delta(), ns);
  anchorFirst(payload.mutable_done()->mutable_end_ns_delta(), ns);
  anchorFirst(payload.mutable_waited()->mutable_wait_begin_ns_delta(), ns);
  anchorFirst(payload.mutable_released()->mutable_release_ns_delta(), ns);
  if (payload.has_marked()) {
    anchorFirst(payload.mutable_marked()->mutable_mark_ns_delta(), ns);
  }
}

void dropDefaultColumns(v1::Payload& payload) {
  v1::IssueRows* issued = payload.mutable_issued();
  dropIfZero(issued->mutable_buffers());
  dropIfZero(issued->mutable_seq());
  dropIfZero(issued->mutable_batch());
  v1::ReturnRows* returned = payload.mutable_returned();
  dropIfZero(returned->mutable_outcome());
  dropIfZero(returned->mutable_error());
  v1::DoneRows* done = payload.mutable_done();
  dropIfZero(done->mutable_outcome());
  dropIfZero(done->mutable_error());
  dropIfZero(done->mutable_engine_ns_plus_1());
  v1::WaitRows* waited = payload.mutable_waited();
  dropIfZero(waited->mutable_outcome());
  dropIfZero(waited->mutable_error());
  dropIfZero(waited->mutable_saw_end());
  dropIfZero(waited->mutable_stall_ns_plus_1());
  dropIfZero(waited->mutable_source_rank_plus_1());
  if (payload.has_marked()) {
    dropIfZero(payload.mutable_marked()->mutable_text());
  }
}

}  // namespace

ChunkBuilder::ChunkBuilder(const v1::Header& header) {
  *payload_.mutable_header() = header;
}

template <typename Column>
void ChunkBuilder::appendOp(Column* column, std::uint64_t op,
                            Previous& previous) {
  column->Add(static_cast<std::int64_t>(op - previous.op));
  previous.op = op;
}

template <typename Column>
void ChunkBuilder::appendNs(Column* column, std::int64_t ns,
                            Previous& previous) {
  column->Add(difference(ns, previous.ns));
  previous.ns = ns;
}

void ChunkBuilder::add(const Ring::Record& record) {
  ++(isEvent(record.kind) ? records_ : definitions_);
  switch (record.kind) {
    case RecordKind::kIssue:
      addIssue(record.position, record.as<IssueRecord>());
      break;
    case RecordKind::kReturn:
      addReturn(record.as<ReturnRecord>());
      break;
    case RecordKind::kDone:
      addDone(record.as<DoneRecord>());
      break;
    case RecordKind::kWait:
      addWait(record.as<WaitRecord>());
      break;
    case RecordKind::kRelease:
      addRelease(record.as<ReleaseRecord>());
      break;
    case RecordKind::kMark:
      addMark(record.position, record.as<MarkRecord>());
      break;
    default:
      addDefinition(record);
      break;
  }
}

void ChunkBuilder::addIssue(std::uint64_t position, const IssueRecord& issue) {
  v1::IssueRows* rows = payload_.mutable_issued();
  appendOp(rows->mutable_op_delta(), position, issued_);
  appendNs(rows->mutable_issue_ns_delta(), issue.issue_ns, issued_);
  rows->add_call(issue.call);
  rows->add_buffers(issue.buffers);
  rows->add_seq(issue.seq);
  rows->add_thread(issue.thread);
  rows->add_batch(issue.batch);
  useCall(issue.call);
  if (const auto* buffers = buffers_.firstUse(issue.buffers)) {
    *payload_.add_buffers() = *buffers;
  }
  if (const auto* thread = threads_.firstUse(issue.thread)) {
    *payload_.add_thread() = *thread;
  }
}

void ChunkBuilder::addReturn(const ReturnRecord& record) {
  v1::ReturnRows* rows = payload_.mutable_returned();
  appendOp(rows->mutable_op_delta(), record.op, returned_);
  appendNs(rows->mutable_return_ns_delta(), record.return_ns, returned_);
  rows->add_outcome(static_cast<std::uint32_t>(record.outcome));
  rows->add_error(record.error);
  useText(record.error);
}

void ChunkBuilder::addDone(const DoneRecord& record) {
  v1::DoneRows* rows = payload_.mutable_done();
  appendOp(rows->mutable_op_delta(), record.op, done_);
  appendNs(rows->mutable_end_ns_delta(), record.end_ns, done_);
  rows->add_source(static_cast<std::uint32_t>(record.source));
  rows->add_outcome(static_cast<std::uint32_t>(record.outcome));
  rows->add_error(record.error);
  rows->add_engine_ns_plus_1(record.engine_ns_plus_1);
  useText(record.error);
}

void ChunkBuilder::addWait(const WaitRecord& record) {
  v1::WaitRows* rows = payload_.mutable_waited();
  appendOp(rows->mutable_op_delta(), record.op, waited_);
  appendNs(rows->mutable_wait_begin_ns_delta(), record.begin_ns, waited_);
  rows->add_wait_ns(record.wait_ns);
  rows->add_outcome(static_cast<std::uint32_t>(record.outcome));
  rows->add_error(record.error);
  rows->add_saw_end(record.saw_end);
  rows->add_stall_ns_plus_1(record.stall_ns_plus_1);
  rows->add_source_rank_plus_1(record.source_rank_plus_1);
  useText(record.error);
}

void ChunkBuilder::addRelease(const ReleaseRecord& record) {
  v1::ReleaseRows* rows = payload_.mutable_released();
  appendOp(rows->mutable_op_delta(), record.op, released_);
  appendNs(rows->mutable_release_ns_delta(), record.release_ns, released_);
}

void ChunkBuilder::addMark(std::uint64_t position, const MarkRecord& mark) {
  v1::MarkRows* rows = payload_.mutable_marked();
  appendOp(rows->mutable_position_delta(), position, marked_);
  appendNs(rows->mutable_mark_ns_delta(), mark.mark_ns, marked_);
  rows->add_kind(static_cast<std::uint32_t>(mark.kind));
  rows->add_value(mark.value);
  rows->add_text(mark.text);
  useText(mark.text);
  if (isAboutGroup(mark.kind)) useGroup(static_cast<std::uint32_t>(mark.value));
}

void ChunkBuilder::addDefinition(const Ring::Record& record) {
  std::string_view bytes = record.payload;
  const auto head = record.as<DefinitionHead>();
  bytes.remove_prefix(std::min(bytes.size(), sizeof head));
  switch (record.kind) {
    case RecordKind::kDefineCall:
      calls_.define(head, encodeCall(head.id, bytes));
      break;
    case RecordKind::kDefineBuffers:
      buffers_.define(head, encodeBuffers(head.id, bytes));
      break;
    case RecordKind::kDefineText: {
      v1::Text text;
      text.set_id(head.id);
      text.set_text(toValidUtf8(bytes));
      texts_.define(head, std::move(text));
      break;
    }
    case RecordKind::kDefineThread: {
      v1::Thread thread;
      if (parse(thread, bytes)) threads_.define(head, std::move(thread));
      break;
    }
    case RecordKind::kDefineGroup: {
      v1::Group group;
      if (parse(group, bytes)) groups_.define(head, std::move(group));
      break;
    }
    case RecordKind::kRetireGroup:
      groups_.retire(head.id);
      break;
    default:
      break;
  }
}

void ChunkBuilder::useCall(std::uint32_t id) {
  const v1::Call* call = calls_.firstUse(id);
  if (!call) return;
  *payload_.add_call() = *call;
  useGroup(call->group());
}

void ChunkBuilder::useGroup(std::uint32_t id) {
  if (const auto* group = groups_.firstUse(id)) *payload_.add_group() = *group;
}

void ChunkBuilder::useText(std::uint32_t id) {
  if (id == 0) return;
  if (const auto* text = texts_.firstUse(id)) *payload_.add_text() = *text;
}

void ChunkBuilder::repeatDefinitions() {
  groups_.repeat();
  calls_.repeat();
  buffers_.repeat();
  threads_.repeat();
  texts_.repeat();
}

const v1::Payload& ChunkBuilder::close(const ClockReading& now,
                                       const v1::Accounts& accounts) {
  v1::ClockAnchor* anchor = payload_.mutable_anchor();
  anchor->set_monotonic_ns(now.monotonic_ns);
  anchor->set_realtime_ns(now.realtime_ns);
  anchor->set_boottime_ns(now.boottime_ns);
  *payload_.mutable_accounts() = accounts;

  groups_.sayFresh([&](const v1::Group& g) { *payload_.add_group() = g; });
  calls_.sayFresh([&](const v1::Call& c) { *payload_.add_call() = c; });
  buffers_.sayFresh([&](const v1::Buffers& b) { *payload_.add_buffers() = b; });
  threads_.sayFresh([&](const v1::Thread& t) { *payload_.add_thread() = t; });
  texts_.sayFresh([&](const v1::Text& t) { *payload_.add_text() = t; });

  anchorRows(payload_, now.monotonic_ns);
  dropDefaultColumns(payload_);
  return payload_;
}

void ChunkBuilder::clear() noexcept {
  groups_.nextChunk();
  calls_.nextChunk();
  buffers_.nextChunk();
  threads_.nextChunk();
  texts_.nextChunk();
  payload_.clear_group();
  payload_.clear_call();
  payload_.clear_buffers();
  payload_.clear_thread();
  payload_.clear_text();
  payload_.clear_issued();
  payload_.clear_returned();
  payload_.clear_done();
  payload_.clear_waited();
  payload_.clear_released();
  payload_.clear_marked();
  issued_ = returned_ = done_ = waited_ = released_ = marked_ = {};
  records_ = 0;
  definitions_ = 0;
}

}  // namespace traced
