#include "recorder/chunk_builder.h"

#include <string_view>

#include "base/utf8.h"
#include "recorder/encode_definitions.h"
#include "trace_io/row_writer.h"

namespace traced {
namespace {

template <typename Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

ChunkBuilder::ChunkBuilder(const v1::Header& header) {
  *payload_.mutable_header() = header;
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
  addRow(payload_, IssueRow{.op = position,
                            .issue_ns = issue.issue_ns,
                            .call = issue.call,
                            .buffers = issue.buffers,
                            .seq = issue.seq,
                            .thread = issue.thread,
                            .batch = issue.batch,
                            .context = issue.context,
                            .stack = issue.stack});
  useCall(issue.call);
  if (const auto* buffers = buffers_.firstUse(issue.buffers)) {
    *payload_.add_buffers() = *buffers;
  }
  if (const auto* thread = threads_.firstUse(issue.thread)) {
    *payload_.add_thread() = *thread;
  }
  if (const auto* context = contexts_.firstUse(issue.context)) {
    *payload_.add_context() = *context;
  }
  useStack(issue.stack);
}

void ChunkBuilder::addReturn(const ReturnRecord& record) {
  addRow(payload_,
         ReturnRow{.op = record.op,
                   .return_ns = record.return_ns,
                   .outcome = static_cast<std::uint32_t>(record.outcome),
                   .error = record.error});
  useText(record.error);
}

void ChunkBuilder::addDone(const DoneRecord& record) {
  addRow(payload_,
         DoneRow{.op = record.op,
                 .end_ns = record.end_ns,
                 .source = static_cast<std::uint32_t>(record.source),
                 .outcome = static_cast<std::uint32_t>(record.outcome),
                 .error = record.error,
                 .engine_ns_plus_1 = record.engine_ns_plus_1});
  useText(record.error);
}

void ChunkBuilder::addWait(const WaitRecord& record) {
  addRow(payload_,
         WaitRow{.op = record.op,
                 .wait_begin_ns = record.begin_ns,
                 .wait_ns = record.wait_ns,
                 .outcome = static_cast<std::uint32_t>(record.outcome),
                 .error = record.error,
                 .saw_end = record.saw_end,
                 .stall_ns_plus_1 = record.stall_ns_plus_1,
                 .source_rank_plus_1 = record.source_rank_plus_1});
  useText(record.error);
}

void ChunkBuilder::addRelease(const ReleaseRecord& record) {
  addRow(payload_,
         ReleaseRow{.op = record.op, .release_ns = record.release_ns});
}

void ChunkBuilder::addMark(std::uint64_t position, const MarkRecord& mark) {
  addRow(payload_, MarkRow{.position = position,
                           .mark_ns = mark.mark_ns,
                           .kind = static_cast<std::uint32_t>(mark.kind),
                           .value = mark.value,
                           .text = mark.text});
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
    case RecordKind::kDefineContext: {
      v1::Context context;
      if (!parse(context, bytes)) break;
      context.set_id(head.id);
      contexts_.define(head, std::move(context));
      break;
    }
    case RecordKind::kDefineStack:
      defineStack(head, bytes);
      break;
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

void ChunkBuilder::defineStack(const DefinitionHead& head,
                               std::string_view bytes) {
  v1::NewStack told;
  if (!parse(told, bytes)) return;
  for (v1::Code& code : *told.mutable_code()) code_.define(std::move(code));
  v1::Stack& stack = *told.mutable_stack();
  stack.set_id(head.id);
  stacks_.define(head, std::move(stack));
}

void ChunkBuilder::nameCode(v1::Code named) {
  definitions_ += code_.name(std::move(named));
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

void ChunkBuilder::useStack(std::uint32_t id) {
  const v1::Stack* stack = stacks_.firstUse(id);
  if (!stack) return;
  *payload_.add_stack() = *stack;
  for (const std::uint64_t call : stack->cpp()) {
    if (const auto* code = code_.firstUse(call)) *payload_.add_code() = *code;
  }
}

void ChunkBuilder::repeatDefinitions() {
  groups_.repeat();
  calls_.repeat();
  buffers_.repeat();
  threads_.repeat();
  contexts_.repeat();
  stacks_.repeat();
  code_.repeat();
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
  contexts_.sayFresh(
      [&](const v1::Context& c) { *payload_.add_context() = c; });
  stacks_.sayFresh([&](const v1::Stack& s) { *payload_.add_stack() = s; });
  code_.sayFresh([&](const v1::Code& c) { *payload_.add_code() = c; });
  texts_.sayFresh([&](const v1::Text& t) { *payload_.add_text() = t; });

  finishRows(payload_);
  return payload_;
}

void ChunkBuilder::clear() noexcept {
  groups_.nextChunk();
  calls_.nextChunk();
  buffers_.nextChunk();
  threads_.nextChunk();
  contexts_.nextChunk();
  stacks_.nextChunk();
  code_.nextChunk();
  texts_.nextChunk();
  payload_.clear_group();
  payload_.clear_call();
  payload_.clear_buffers();
  payload_.clear_thread();
  payload_.clear_context();
  payload_.clear_stack();
  payload_.clear_code();
  payload_.clear_text();
  payload_.clear_issued();
  payload_.clear_returned();
  payload_.clear_done();
  payload_.clear_waited();
  payload_.clear_released();
  payload_.clear_marked();
  records_ = 0;
  definitions_ = 0;
}

}  // namespace traced
