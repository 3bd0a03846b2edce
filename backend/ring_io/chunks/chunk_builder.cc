#include "ring_io/chunks/chunk_builder.h"

#include <string_view>
#include <type_traits>

#include "base/utf8.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/chunks/record_rows.h"
#include "trace_io/row_writer.h"

namespace traced {
namespace {

template <typename Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

ChunkBuilder::ChunkBuilder(const v1::Header& header,
                           std::size_t definition_room)
    : definition_room_(definition_room) {
  *payload_.mutable_header() = header;
}

void ChunkBuilder::add(const Ring::Record& record) {
  const std::uint64_t rows = rowsOf(record.kind);
  records_ += rows;
  definitions_ += rows == 0;
  if (rows == 0) return addDefinition(record);
  forEachRow(record, [this](const auto& row) {
    addRow(payload_, row);
    useDefinitions(row);
  });
}

void ChunkBuilder::useDefinitions(const IssueRow& row) {
  useCall(row.call);
  use(buffers_.useInThisChunk(row.buffers));
  use(threads_.useInThisChunk(row.thread));
  use(contexts_.useInThisChunk(row.context));
  use(stacks_.useInThisChunk(row.stack));
}

template <typename Row>
void ChunkBuilder::useDefinitions(const Row& row) {
  forEachText(row, [this](std::uint32_t id) {
    if (id != 0) use(texts_.useInThisChunk(id));
  });
  if constexpr (std::is_same_v<Row, MarkRow>) {
    if (isAboutGroup(static_cast<MarkKind>(row.kind))) {
      useGroup(static_cast<std::uint32_t>(row.value));
    }
  }
  if constexpr (std::is_same_v<Row, FunctionRow>) {
    if (row.group != 0) useGroup(row.group);
    use(stacks_.useInThisChunk(row.stack));
  }
  if constexpr (std::is_same_v<Row, ThreadSampleRow>) {
    use(stacks_.useInThisChunk(row.stack));
  }
}

void ChunkBuilder::addDefinition(const Ring::Record& record) {
  std::string_view bytes = record.payload;
  definition_bytes_ += bytes.size();
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
    case RecordKind::kRetireThread:
      threads_.retire(head.id);
      break;
    default:
      break;
  }
}

void ChunkBuilder::defineStack(const DefinitionHead& head,
                               std::string_view bytes) {
  v1::NewStack parsed;
  if (!parse(parsed, bytes)) return;
  for (v1::Code& code : *parsed.mutable_code()) code_.define(std::move(code));
  v1::Stack& stack = *parsed.mutable_stack();
  stack.set_id(head.id);
  nameFrames(stack);
  stacks_.define(head, std::move(stack));
}

std::vector<std::int64_t> ChunkBuilder::threads() const {
  std::vector<std::int64_t> tids;
  threads_.forEachInUse(
      [&tids](const v1::Thread& thread) { tids.push_back(thread.tid()); });
  return tids;
}

void ChunkBuilder::nameCode(v1::Code named) {
  definitions_ += code_.name(std::move(named));
}

void ChunkBuilder::put(const v1::Group& group) {
  put(*payload_.mutable_group(), group);
}
void ChunkBuilder::put(const v1::Call& call) {
  put(*payload_.mutable_call(), call);
}
void ChunkBuilder::put(const v1::Buffers& buffers) {
  put(*payload_.mutable_buffers(), buffers);
}
void ChunkBuilder::put(const v1::Thread& thread) {
  put(*payload_.mutable_thread(), thread);
}
void ChunkBuilder::put(const v1::Context& context) {
  put(*payload_.mutable_context(), context);
}
void ChunkBuilder::put(const v1::Stack& stack) {
  definition_bytes_ += frames_.put(stack, payload_);
  for (const std::uint64_t call : stack.cpp()) use(code_.useInThisChunk(call));
}
void ChunkBuilder::put(const v1::Code& code) {
  put(*payload_.mutable_code(), code);
}
void ChunkBuilder::put(const v1::Text& text) {
  put(*payload_.mutable_text(), text);
}

void ChunkBuilder::useCall(std::uint32_t id) {
  const v1::Call* call = calls_.useInThisChunk(id);
  if (!call) return;
  put(*call);
  useGroup(call->group());
}

void ChunkBuilder::useGroup(std::uint32_t id) {
  use(groups_.useInThisChunk(id));
}

template <typename Act>
void ChunkBuilder::withDefinitionTables(Act act) {
  act(groups_);
  act(calls_);
  act(buffers_);
  act(threads_);
  act(contexts_);
  act(stacks_);
  act(texts_);
}

template <typename Act>
void ChunkBuilder::withTables(Act act) {
  withDefinitionTables(act);
  act(code_);
}

void ChunkBuilder::repeatDefinitions() {
  withTables([](auto& table) { table.repeat(); });
}

bool ChunkBuilder::isRepeating() {
  bool any = false;
  withTables([&any](auto& table) { any |= table.isRepeating(); });
  return any;
}

void ChunkBuilder::stopRepeating() noexcept {
  withTables([](auto& table) { table.stopRepeating(); });
}

void ChunkBuilder::endProcess(int exit_code, std::int64_t now_ns) {
  // wait() reports only these bits.
  constexpr unsigned kExitCodeBits = 0xFF;
  v1::ProcessEnd* end = payload_.mutable_process_end();
  end->set_exit_code(static_cast<unsigned>(exit_code) & kExitCodeBits);
  end->set_seen_by(v1::PROCESS_END_OBSERVER_SELF);
  end->set_seen_ns(now_ns);
}

const v1::Payload& ChunkBuilder::close(const ClockReading& now,
                                       const v1::Accounts& accounts) {
  closed_ns_ = now.monotonic_ns;
  v1::ClockAnchor* anchor = payload_.mutable_anchor();
  anchor->set_monotonic_ns(now.monotonic_ns);
  anchor->set_realtime_ns(now.realtime_ns);
  anchor->set_boottime_ns(now.boottime_ns);
  *payload_.mutable_accounts() = accounts;

  const auto putIt = [this](const auto& message) { put(message); };
  withTables([&](auto& table) { table.putFresh(putIt); });
  withTables([&](auto& table) {
    table.putAgain(putIt, [this] { return !isFull(); });
  });

  finishRows(payload_);
  return payload_;
}

void ChunkBuilder::clear() noexcept {
  withDefinitionTables([this](auto& table) { table.nextChunk(closed_ns_); });
  code_.nextChunk();
  frames_.nextChunk();
  payload_.clear_group();
  payload_.clear_call();
  payload_.clear_buffers();
  payload_.clear_thread();
  payload_.clear_context();
  payload_.clear_stack();
  payload_.clear_frame();
  payload_.clear_code();
  payload_.clear_text();
  forEachType(AllRows(),
              [&]<typename Row>() { RowTable<Row>::clear(payload_); });
  records_ = 0;
  definitions_ = 0;
  definition_bytes_ = 0;
}

}  // namespace traced
