// Recorder writes the backend's events into the ring.
//
// A process has at most one active recorder, started with its first traced
// group and stopped at exit. It is never destroyed, because a late callback may
// still hold it. A forked child has none until it creates its own group.
//
// Event functions never throw, block or fail. Events that cannot be recorded
// are counted. Thread safety: any thread.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "recorder/call_extras.h"
#include "recorder/engine_checks.h"
#include "recorder/metrics/metrics.h"
#include "recorder/node_map.h"
#include "recorder/own_time.h"
#include "recorder/recorded_group.h"
#include "recorder/stacks/stack_source.h"
#include "recorder/standstill/thread_sample.h"
#include "ring_io/ring/call_description.h"
#include "ring_io/ring/definition_cache.h"
#include "ring_io/ring/group_info.h"
#include "ring_io/ring/record.h"
#include "ring_io/ring/ring.h"
#include "ring_io/settings/options.h"
#include "ring_io/settings/process_info.h"

namespace traced {

namespace v1 {
class Header;
}
class Devices;
class HangReports;
class Segment;
class Sink;
class Sinks;
class Writer;

class Recorder {
 public:
  // Returns the process's recorder, or nullptr.
  static Recorder* current() noexcept {
    return process_.recorder.load(std::memory_order_acquire);
  }

  // Returns whether new operations are recorded. setEnabled() switches this at
  // run time, also for later recorders of the process. Later events of a
  // recorded operation are always recorded.
  static bool enabled() noexcept {
    return process_.enabled.load(std::memory_order_relaxed);
  }
  static void setEnabled(bool enabled) noexcept;

  // Returns the process's recorder, starting one if necessary. A stream belongs
  // to one rank and job size: if either changed, the old recorder stops, and
  // its groups record nothing more. Returns a one-sentence error if recording
  // is impossible, such as for an unwritable directory.
  static Result<Recorder*> start(const Options& options,
                                 const ProcessIdentity& process);

  // Writes the remaining records and stops the process's recorder, if any.
  // Called at exit. Records that are not in the file by the timeout stay in
  // the ring for recovery. `exit_code`: the process's, if known.
  static void stopCurrent(std::chrono::milliseconds timeout,
                          std::optional<int> exit_code = {}) noexcept;

  // Registers a group and defines it in the trace. Any thread, but not inside a
  // collective. May throw std::bad_alloc.
  std::unique_ptr<RecordedGroup> addGroup(GroupInfo info);

  // Applies the configured scope to the group: excludes it, only its messages
  // within this node, or nothing. Returns
  // false if the decision needs node names that are not published yet; the
  // group is then recorded, and the caller retries later. `job` identifies the
  // job whose ranks `lookup` knows. Never blocks.
  bool decideScope(RecordedGroup& group, std::uint64_t job,
                   const NodeMap::Lookup& lookup);
  // Counts an operation of an excluded group.
  void leaveOut() noexcept {
    left_out_.fetch_add(1, std::memory_order_relaxed);
  }

  // Prefetches the ring's control data. Call it shortly before issue().
  void prepare() const noexcept { ring_.prefetchControl(); }

  // Records that the call entered the backend at `issue_ns`. Returns the
  // operation's id, or kLostOp if the ring is full. The functions below then
  // only count drops.
  OpId issue(RecordedGroup& group, const CallDescription& call,
             const BufferList& buffers, std::uint64_t seq, std::uint64_t batch,
             std::int64_t issue_ns) noexcept;

  // Record later events of an operation. A failure has a message.
  void returned(OpId op, std::int64_t return_ns) noexcept;
  void threw(OpId op, std::int64_t return_ns, const char* message) noexcept;
  void done(OpId op, std::int64_t end_ns, EndSource source) noexcept;
  void doneFailed(OpId op, std::int64_t end_ns, EndSource source,
                  const char* message) noexcept;
  void done(const DoneRecord& done) noexcept;
  // Record a wait on the Work. waitThrew() sets the outcome and the error of
  // `wait`. `return_ns`: when the call returned, if returned() was not called.
  // One record then holds both.
  void waited(const WaitRecord& wait,
              std::optional<std::int64_t> return_ns = {}) noexcept;
  void waitThrew(WaitRecord wait, const char* message,
                 std::optional<std::int64_t> return_ns = {}) noexcept;
  // Records that the program released the Work without waiting for it.
  void released(OpId op, std::int64_t release_ns = nowNs()) noexcept;

  // Records how the communication library executes the operation, in the
  // library's own names. "" and 0 mean unknown.
  void method(OpId op, const char* algorithm, const char* protocol,
              std::uint32_t channels) noexcept;

  // Record the hash of a part of an operation's tensors, and the statistics of
  // a tensor.
  void hashed(const HashRow& row) noexcept;
  void summarized(const StatisticsRow& row) noexcept;
  // Records the hash of a tensor that several ranks hold copies of. `name` and
  // `ranks`: the texts of these fields.
  void replica(ReplicaRow row, const char* name, const char* ranks) noexcept;

  // Adds the total overhead of one sampled operation.
  void addOwnTime(std::int64_t ns) noexcept { own_time_.add(ns); }

  // The device timing of the process.
  Devices& devices() noexcept { return *devices_; }

  // The periodic checks of engines.
  EngineChecks& engineChecks() noexcept { return engine_checks_; }

  // Returns nullptr if calls are only recorded.
  const CallExtras* callExtras() const noexcept {
    return call_extras_.current();
  }
  // Sets whether calls are passed to the program, in this recorder and in later
  // ones of the process. Not thread-safe.
  static void setObserved(bool observed) noexcept;

  // Records an event that belongs to no operation, such as the start of a
  // training step.
  void mark(MarkKind kind, std::uint64_t value,
            const char* message = "") noexcept;

  // Records an event in a function of torch.distributed; see FunctionRows in
  // trace.proto. `function`: its name or "". The begin of a creation also
  // records the caller's stack. Ignores object collectives while recording is
  // disabled.
  void functionEvent(FunctionRow event, const char* function) noexcept;

  // Records a sample of a thread, taken at `sample_ns`. `interpreter`: see
  // ThreadSampleRows in trace.proto. May throw std::bad_alloc.
  void sample(const ThreadSample& thread, v1::SampleCause cause,
              std::uint32_t interpreter, std::int64_t sample_ns);

  // Blocks until everything recorded so far is in the file. Returns false if
  // the timeout passed or if the file rejected a record.
  bool flush(std::chrono::milliseconds timeout);
  // Requests a flush without waiting.
  void requestFlush() noexcept;

  // Returns the latest records as the chunks of a trace file. Waits for the
  // writer thread but not for the file. The second value is false if the
  // timeout passed; the latest records are then missing.
  std::pair<std::string, bool> recent(std::chrono::milliseconds timeout);

  // Returns the communication totals as of the writer's latest poll of the
  // ring. Never blocks.
  RankFigures figures();

  // Adds a destination for the chunks of this process, including those of later
  // recorders. A forked child starts without any. Any thread.
  static void addSink(std::shared_ptr<Sink> sink);
  static void removeSink(const Sink& sink);

  // Sets how long an operation issued from now on may take. A longer one is
  // reported on stderr, by a mark and through hangReports(). 0 disables the
  // watch. Any thread.
  void watch(std::int64_t limit_ns) noexcept;
  // The reports of the watch, for all recorders of this process. Never
  // destroyed.
  static HangReports& hangReports();

  // Returns where the trace is written.
  const std::string& location() const { return location_; }
  // Returns the path of the ring, or "" if other processes cannot open it.
  const std::string& ringPath() const;

 private:
  Recorder(std::unique_ptr<Segment> segment, std::unique_ptr<Sink> file,
           const v1::Header& header, const Options& options);
  ~Recorder();

  static Result<Recorder*> create(const Options& options,
                                  const ProcessIdentity& process);
  // Returns whether all records are written and the segment is removed.
  bool stop(std::chrono::milliseconds timeout,
            std::optional<int> exit_code = {}) noexcept;
  static Result<Recorder*> create(const Options& options,
                                  const v1::Header& header,
                                  std::unique_ptr<Sink> file);
  static void installProcessHooks();
  static Sinks& sinks();
  // Returns the object in `slot`, created if necessary. Never destroyed. A
  // forked child gets its own.
  template <typename Shared>
  static Shared& shared(std::atomic<Shared*>& slot);

  template <typename Event>
  [[gnu::always_inline]] void push(RecordKind kind, OpId op,
                                   const Event& event) noexcept;
  // For rows of operations that take several slots.
  template <typename Row>
  void pushLong(RecordKind kind, const Row& row) noexcept;
  // Return the trace id of a text, a thread or a stack, defining it if new.
  // Return 0 if it is empty or cannot be defined.
  std::uint32_t textId(const char* message) noexcept;
  std::uint32_t threadId() noexcept;
  std::uint32_t stackId(StackSource& source) noexcept;
  std::uint32_t cutStackId(StackSource& source) noexcept;
  // Defines the calling thread and retires it when it ends. Returns 0 if the
  // ring or memory is full.
  std::uint32_t defineThread() noexcept;
  // Marks the calling thread as ended in the process's recorder.
  static void retireThread() noexcept;

  // Aligned, so that both fields are in one cache line.
  struct alignas(16) Process {
    std::atomic<Recorder*> recorder{nullptr};
    std::atomic<bool> enabled{true};
  };
  static constinit Process process_;
  static std::atomic<Sinks*> sinks_;
  static std::atomic<HangReports*> hang_reports_;
  static std::atomic<bool> observed_;

  const std::unique_ptr<Segment> segment_;
  // The fields that every call uses come first, in two cache lines.
  alignas(kSlotBytes) Ring ring_;
  const std::uint64_t stream_id_;
  DefinitionCache calls_;
  DefinitionCache buffers_;
  DefinitionCache stacks_;
  DefinitionCache contexts_;
  DefinitionCache texts_;
  std::atomic<std::uint32_t> next_thread_{1};
  OwnTime own_time_;
  std::atomic<std::uint64_t> left_out_{0};
  std::atomic<bool> several_starts_{false};
  const Scope scope_;
  NodeMap nodes_;
  const std::string location_;
  const std::unique_ptr<Devices> devices_;
  SwitchedExtras call_extras_;
  EngineChecks engine_checks_;
  // Last, because its thread uses the ring as soon as it is constructed.
  const std::unique_ptr<Writer> writer_;

  // Set before the recorder is published.
  ProcessIdentity identity_;

  // Guarded by groups_mutex_. Not used while a collective is issued.
  std::mutex groups_mutex_;
  std::uint32_t next_group_ = 1;
  // Number of groups so far with the same kind and members, by a key of both.
  std::unordered_map<std::string, std::uint32_t> group_counts_;
};

}  // namespace traced
