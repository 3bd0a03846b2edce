// JobBuilder writes the traces of a synthetic job, operation by operation.
// Times are in milliseconds after StreamBuilder::kIssueNs.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/stream_builder.h"

namespace traced::testing {

// How a process ended.
enum class Ending { kClosed, kRecovered, kCut };

class RankBuilder {
 public:
  static constexpr std::int64_t kMs = 1'000'000;

  RankBuilder(std::uint32_t rank, std::uint32_t world)
      : rank_(rank), stream_(rank, world) {}

  StreamBuilder& stream() { return stream_; }

  // Define a group or a call. A returned call may be modified until the rank is
  // written.
  std::uint32_t addGroup(const std::string& desc, std::uint32_t first,
                         std::uint32_t count) {
    v1::Group& group = stream_.addGroup(desc, first, count);
    group.set_group_rank(rank_ - first);
    group.set_nth(groups_[{first, count}]++);
    return group.id();
  }
  v1::Call& addCall(v1::Operation op, std::uint32_t group,
                    std::uint64_t bytes = 4096, std::uint64_t bytes_out = 0) {
    v1::Call& call = stream_.addCall(op, group, bytes, bytes_out);
    call.set_async(false);
    return call;
  }
  v1::Call& addMessage(bool sends, std::uint32_t group, std::uint32_t peer,
                       std::uint64_t bytes = 512, std::int32_t tag = 0) {
    v1::Call& call =
        stream_.addCall(sends ? v1::OPERATION_SEND : v1::OPERATION_RECV, group,
                        sends ? bytes : 0, sends ? 0 : bytes);
    call.set_peer_plus_1(peer + 1);
    call.set_peer_global_plus_1(peer + 1);
    call.set_tag(tag);
    return call;
  }

  // Adds an operation whose end is shown by its wait.
  std::uint64_t end(std::uint32_t call, std::int64_t at_ms,
                    std::int64_t took_ms = 1) {
    const std::uint64_t id = issue(call, at_ms);
    wait(id, at_ms, took_ms, 0, 0);
    return id;
  }
  // Adds an operation whose wait begins later than its issue. The wait takes
  // `took_ms`.
  std::uint64_t endLater(std::uint32_t call, std::int64_t at_ms,
                         std::int64_t wait_at_ms, std::int64_t took_ms = 1) {
    const std::uint64_t id = issue(call, at_ms);
    wait(id, wait_at_ms, took_ms, 0, 0);
    return id;
  }
  // Adds an operation that never ends.
  std::uint64_t hang(std::uint32_t call, std::int64_t at_ms) {
    return issue(call, at_ms);
  }
  // Adds an operation whose wait threw.
  std::uint64_t fail(std::uint32_t call, std::int64_t at_ms,
                     std::int64_t after_ms, const std::string& error) {
    const std::uint64_t id = issue(call, at_ms);
    wait(id, at_ms, after_ms, 1, stream_.addText(error));
    return id;
  }
  // Uses up a sequence number without recording the operation.
  void lose(std::uint32_t call) { nextSeq(call); }
  // Records an event that shows that the process lived at this time.
  void live(std::int64_t at_ms) { beginStep(0, at_ms); }
  // Sets until when the process is known to have lived, without a record.
  void idleUntil(std::int64_t at_ms) {
    stream_.payload().mutable_anchor()->set_monotonic_ns(ns(at_ms));
  }
  // Records an uncaught exception. It ends the process or another thread.
  void raise(std::int64_t at_ms, const std::string& text,
             bool ends_process = true) {
    stream_.add(MarkRow{++next_id_, ns(at_ms), v1::MARK_KIND_EXCEPTION,
                        ends_process ? 0U : 1U, stream_.addText(text)});
  }
  v1::ProcessEnd& processEnd() {
    return *stream_.payload().mutable_process_end();
  }
  // Set the training step, the context and the stack of later operations.
  void beginStep(std::uint64_t number, std::int64_t at_ms) {
    stream_.addStep(++next_id_, ns(at_ms), number);
  }
  // Records that the program switched tracing on or off.
  void enable(bool enabled, std::int64_t at_ms) {
    stream_.add(
        MarkRow{++next_id_, ns(at_ms),
                enabled ? v1::MARK_KIND_ENABLED : v1::MARK_KIND_DISABLED});
  }
  void setContext(std::uint32_t context) { context_ = context; }
  void setStack(std::uint32_t stack) { stack_ = stack; }
  // Sets the call site of later operations: a line of /job/train.py, and a
  // function and a thread.
  void callAt(std::uint32_t line, const std::string& function = "main") {
    std::uint32_t& stack = stacks_[{line, function}];
    if (stack == 0) {
      v1::Stack& made = stream_.addStack();
      v1::Frame& frame = *made.add_frame();
      frame.set_file("/job/train.py");
      frame.set_line(line);
      frame.set_function(function);
      made.set_site(1);
      stack = made.id();
    }
    stack_ = stack;
  }
  void callInThread(std::uint32_t thread) { thread_ = thread; }

  // Returns the trace, as the bytes of its file.
  std::string write(Ending ending) {
    stream_.payload().mutable_accounts()->set_recovered(ending ==
                                                        Ending::kRecovered);
    return stream_.takeChunk(ending == Ending::kClosed);
  }

  static std::int64_t ns(std::int64_t ms) {
    return StreamBuilder::kIssueNs + ms * kMs;
  }

 private:
  using Counter = std::pair<std::uint32_t, std::uint32_t>;

  // Collectives count per group, messages per group and pair.
  std::uint64_t nextSeq(std::uint32_t id) {
    const v1::Call& call = stream_.payload().call(static_cast<int>(id) - 1);
    const bool sends = call.op() == v1::OPERATION_SEND;
    const bool message = sends || call.op() == v1::OPERATION_RECV;
    const std::uint32_t peer =
        message ? 2 * call.peer_global_plus_1() + (sends ? 1U : 0U) : 0U;
    return ++seqs_[Counter{call.group(), peer}];
  }
  std::uint64_t issue(std::uint32_t call, std::int64_t at_ms) {
    const std::uint64_t id = ++next_id_;
    stream_.add(IssueRow{.op = id,
                         .issue_ns = ns(at_ms),
                         .call = call,
                         .seq = nextSeq(call),
                         .thread = thread_,
                         .context = context_,
                         .stack = stack_});
    stream_.add(ReturnRow{.op = id, .return_ns = ns(at_ms) + 10'000});
    return id;
  }
  void wait(std::uint64_t id, std::int64_t at_ms, std::int64_t took_ms,
            std::uint32_t outcome, std::uint32_t error) {
    stream_.add(
        WaitRow{.op = id,
                .wait_begin_ns = ns(at_ms) + 20'000,
                .wait_ns = static_cast<std::uint64_t>(took_ms * kMs) - 20'000,
                .outcome = outcome,
                .error = error,
                .saw_end = 1});
  }

  const std::uint32_t rank_;
  StreamBuilder stream_;
  std::map<Counter, std::uint64_t> seqs_;
  std::map<Counter, std::uint32_t> groups_;
  std::uint64_t next_id_ = 0;
  std::uint32_t context_ = 0;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> stacks_;
  std::uint32_t stack_ = 0;
  std::uint32_t thread_ = 0;
};

class JobBuilder {
 public:
  // Makes all ranks members of "dp", whose id is 1.
  explicit JobBuilder(std::uint32_t world) {
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      ranks_.push_back(std::make_unique<RankBuilder>(rank, world));
      ranks_.back()->addGroup("dp", 0, world);
    }
  }

  RankBuilder& rank(std::uint32_t rank) { return *ranks_[rank]; }
  std::uint32_t size() const {
    return static_cast<std::uint32_t>(ranks_.size());
  }
  template <typename Do>
  void all(Do&& act) {
    for (auto& rank : ranks_) act(*rank);
  }
  // Calls `act` for every rank except `one`.
  template <typename Do>
  void allBut(std::uint32_t one, Do&& act) {
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
      if (rank != one) act(*ranks_[rank]);
    }
  }

 private:
  std::vector<std::unique_ptr<RankBuilder>> ranks_;
};

}  // namespace traced::testing
