// The event functions of Recorder, which fill slots of the ring.

#include <pthread.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

#include "base/utf8.h"
#include "recorder/context/context.h"
#include "recorder/recorder.h"
#include "trace_io/plus_one.h"
#include "traced/v1/trace.pb.h"

namespace traced {
namespace {

constexpr std::size_t kMaxTextBytes = 512;

// The calling thread's id, and the stream it is valid for.
struct ThreadName {
  std::uint64_t stream_id = 0;
  std::uint32_t id = 0;
};
constinit thread_local ThreadName this_thread_name;

}  // namespace

OpId Recorder::issue(RecordedGroup& group, const CallDescription& call,
                     const BufferList& buffers, std::uint64_t seq,
                     std::uint64_t batch, std::int64_t issue_ns) noexcept {
  ring_.prefetchSlots();
  std::uint32_t call_id = 0;
  if (group.ensureDefined()) {
    call_id = calls_.idFor(call.bytes(), call.byteSize());
  }
  if (call_id == 0) [[unlikely]] {  // no room for the definition
    ring_.drop(RingDrop::kFull, RecordKind::kIssue);
    return kLostOp;
  }
  const std::uint32_t buffers_id =
      buffers.empty() ? 0 : buffers_.idFor(buffers.bytes(), buffers.byteSize());
  const Context* context = currentContext();
  const std::uint32_t context_id =
      context ? contexts_.idFor(context->hash(), context->bytes().data(),
                                context->bytes().size())
              : 0;
  StackSource* const stacks = stackSource();
  const std::uint32_t stack_id = stacks ? stackId(*stacks) : 0;
  const OpId op = ring_.push(
      RecordKind::kIssue, IssueRecord{issue_ns, seq, batch, call_id, buffers_id,
                                      threadId(), context_id, stack_id});
  return op;  // Ring::kFull equals kLostOp
}

template <typename Event>
inline void Recorder::push(RecordKind kind, OpId op,
                           const Event& event) noexcept {
  static_assert(kLostOp == Ring::kFull);
  // Recording has ended, or a forked child dropped a Work of its parent, whose
  // ring it must not touch.
  if (current() != this) return;
  if (op == kLostOp) {
    ring_.drop(RingDrop::kIssueLost, kind);
  } else {
    ring_.push(kind, event);
  }
}

void Recorder::returned(OpId op, std::int64_t return_ns) noexcept {
  push(RecordKind::kReturn, op, ReturnRecord{op, return_ns, 0, Outcome::kOk});
}

void Recorder::threw(OpId op, std::int64_t return_ns,
                     const char* message) noexcept {
  push(RecordKind::kReturn, op,
       ReturnRecord{op, return_ns, textId(message), Outcome::kThrew});
}

void Recorder::done(OpId op, std::int64_t end_ns, EndSource source) noexcept {
  push(RecordKind::kDone, op,
       DoneRecord{op, end_ns, 0, 0, source, Outcome::kOk});
}

void Recorder::done(const DoneRecord& done) noexcept {
  push(RecordKind::kDone, done.op, done);
}

void Recorder::doneFailed(OpId op, std::int64_t end_ns, EndSource source,
                          const char* message) noexcept {
  push(RecordKind::kDone, op,
       DoneRecord{op, end_ns, 0, textId(message), source, Outcome::kThrew});
}

void Recorder::waited(const WaitRecord& wait,
                      std::optional<std::int64_t> return_ns) noexcept {
  if (return_ns) {
    push(RecordKind::kReturnAndWait, wait.op,
         ReturnAndWaitRecord{wait.op, *return_ns, wait.begin_ns, wait.wait_ns,
                             wait.error, wait.source_rank_plus_1, wait.outcome,
                             wait.saw_end});
  } else {
    push(RecordKind::kWait, wait.op, wait);
  }
}

void Recorder::waitThrew(WaitRecord wait, const char* message,
                         std::optional<std::int64_t> return_ns) noexcept {
  wait.outcome = Outcome::kThrew;
  wait.error = textId(message);
  waited(wait, return_ns);
}

void Recorder::released(OpId op, std::int64_t release_ns) noexcept {
  push(RecordKind::kRelease, op, ReleaseRecord{op, release_ns});
}

void Recorder::method(OpId op, const char* algorithm, const char* protocol,
                      std::uint32_t channels) noexcept {
  push(RecordKind::kMethod, op,
       MethodRecord{op, textId(algorithm), textId(protocol), channels});
}

// The row takes several slots.
template <typename Row>
void Recorder::pushLong(RecordKind kind, const Row& row) noexcept {
  if (current() != this) return;
  if (row.op == kLostOp) {
    ring_.drop(RingDrop::kIssueLost, kind);
  } else {
    ring_.pushLong(kind, row);
  }
}

void Recorder::hashed(const HashRow& row) noexcept {
  pushLong(RecordKind::kHash, row);
}

void Recorder::summarized(const StatisticsRow& row) noexcept {
  pushLong(RecordKind::kStatistics, row);
}

void Recorder::replica(ReplicaRow row, const char* name,
                       const char* ranks) noexcept {
  if (current() != this) return;
  row.at_ns = nowNs();
  row.name = textId(name);
  row.ranks = textId(ranks);
  ring_.pushLong(RecordKind::kReplica, row);
}

void Recorder::mark(MarkKind kind, std::uint64_t value,
                    const char* message) noexcept {
  if (current() == this) {
    ring_.push(RecordKind::kMark,
               MarkRecord{nowNs(), value, kind, textId(message)});
  }
}

void Recorder::functionEvent(FunctionRow event, const char* function) noexcept {
  const bool is_operation = event.event == v1::FUNCTION_EVENT_OBJECTS_BEGAN ||
                            event.event == v1::FUNCTION_EVENT_OBJECTS_ENDED;
  if (current() != this || (is_operation && !enabled())) return;
  StackSource* const stacks = event.event == v1::FUNCTION_EVENT_CREATION_BEGAN
                                  ? stackSource()
                                  : nullptr;
  if (stacks) event.stack = stackId(*stacks);
  event.function = textId(function);
  ring_.push(RecordKind::kFunction, event);
}

void Recorder::sample(const ThreadSample& thread, v1::SampleCause cause,
                      std::uint32_t interpreter, std::int64_t sample_ns) {
  if (current() != this) return;
  ThreadSampleRow row;
  row.sample_ns = sample_ns;
  row.tid = static_cast<std::uint32_t>(thread.tid);
  row.cause = cause;
  row.reading = thread.reading;
  row.state = static_cast<unsigned char>(thread.activity.state);
  row.interpreter = interpreter;
  row.waits_in = textId(thread.waits_in.c_str());
  row.cpu_ns_plus_1 = plusOne(thread.activity.schedule.cpu_ns);
  row.runs_plus_1 = plusOne(thread.activity.schedule.runs);
  if (thread.stack.frame_size() > 0) {
    v1::NewStack definition;
    *definition.mutable_stack() = thread.stack;
    const std::string words = definition.SerializeAsString();
    row.stack = stacks_.idFor(words.data(), words.size());
    if (row.stack == 0) row.reading = v1::STACK_READING_FAILED;  // no room
  }
  ring_.pushLong(RecordKind::kThreadSample, row);
}

std::uint32_t Recorder::textId(const char* message) noexcept {
  const std::size_t bytes = strnlen(message, kMaxTextBytes);
  return bytes == 0 ? 0 : texts_.idFor(message, bytes);
}

std::uint32_t Recorder::stackId(StackSource& source) noexcept {
  const std::uint64_t identity = source.identity();
  if (identity == 0) return 0;
  const std::uint32_t known = stacks_.known(identity);
  if (known != 0) return known;
  const std::string words = source.describe();
  return words.empty() ? cutStackId(source)
                       : stacks_.idFor(identity, words.data(), words.size());
}

std::uint32_t Recorder::cutStackId(StackSource& source) noexcept {
  const std::uint64_t identity = source.cutIdentity();
  if (identity == 0) return 0;
  const std::uint32_t known = stacks_.known(identity);
  if (known != 0) return known;
  const std::string words = source.describeCut();
  return words.empty() ? 0
                       : stacks_.idFor(identity, words.data(), words.size());
}

std::uint32_t Recorder::threadId() noexcept {
  if (this_thread_name.stream_id == stream_id_) return this_thread_name.id;
  return defineThread();
}

std::uint32_t Recorder::defineThread() noexcept {
  v1::Thread thread;
  std::string message;
  try {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    thread.set_id(next_thread_.fetch_add(1, std::memory_order_relaxed));
    thread.set_tid(gettid());
    thread.set_name(toValidUtf8(name));
    message = thread.SerializeAsString();
  } catch (const std::bad_alloc&) {
    return 0;
  }
  const bool stored =
      ring_.pushDefinition(RecordKind::kDefineThread,
                           {thread.id(), kUntilRetired}, message.data(),
                           message.size()) != Ring::kFull;
  // If the ring or memory is full, this call has no thread. The next one
  // retries.
  if (!stored) return 0;
  this_thread_name = {stream_id_, thread.id()};
  struct AtThreadEnd {
    ~AtThreadEnd() { retireThread(); }
  };
  static thread_local const AtThreadEnd retired_at_end;
  static_cast<void>(retired_at_end);
  return thread.id();
}

// Best effort, as for groups: a thread that is never retired only costs the
// writer memory.
void Recorder::retireThread() noexcept {
  const auto name = std::exchange(this_thread_name, {});
  Recorder* const recorder = current();
  if (!recorder || recorder->stream_id_ != name.stream_id) return;
  recorder->ring_.pushDefinition(RecordKind::kRetireThread,
                                 {name.id, kUntilRetired}, "", 0);
}

}  // namespace traced
