// Recorder is what the backend talks to: it writes what happens into the ring.
//
// One recorder per process, started with the first traced group and stopped at
// exit. It is never destroyed: a late callback may still hold it. A forked
// child has none, until it makes a group of its own.
//
// The event functions never throw, never block and never fail; what cannot be
// recorded is counted.

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
#include "recorder/engine_checks.h"
#include "recorder/metrics/metrics.h"
#include "recorder/node_map.h"
#include "recorder/own_time.h"
#include "recorder/recorded_group.h"
#include "recorder/stacks/stack_source.h"
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
class ToolRanges;
class Devices;
class HangReports;
class Segment;
class Sink;
class Sinks;
class Writer;

class Recorder {
 public:
  // The process's recorder; nullptr when there is none.
  static Recorder* current() noexcept {
    return process_.recorder.load(std::memory_order_acquire);
  }

  // Whether operations are recorded. Switched at run time, for the process and
  // its later recorders; events of operations that were recorded always are.
  static bool enabled() noexcept {
    return process_.enabled.load(std::memory_order_relaxed);
  }
  static void setEnabled(bool enabled) noexcept;

  // Returns the process's recorder, started if need be: also where there is one
  // that began as another rank, or in a job of another size, as a stream is of
  // one rank. That one is stopped; groups that it records are recorded no more.
  // The error is one sentence: recording is not possible (an unwritable
  // directory).
  static Result<Recorder*> start(const Options& options,
                                 const ProcessIdentity& process);

  // Writes what is left and ends recording in this process, with the exit code
  // if that is known by now. Called at exit.
  static void stopCurrent(std::chrono::milliseconds deadline,
                          std::optional<int> exit_code = {}) noexcept;

  std::unique_ptr<RecordedGroup> addGroup(GroupInfo info);

  // Leaves the group out, or records it, as the scope says; where that depends
  // on nodes that are not known yet it is recorded, and false says to try again
  // later. `job` names the job whose ranks the lookup knows. Waits for nobody.
  bool decideScope(RecordedGroup& group, std::uint64_t job,
                   const NodeMap::Lookup& lookup);
  // Counts an operation of a group that is left out.
  void leaveOut() noexcept {
    left_out_.fetch_add(1, std::memory_order_relaxed);
  }

  // An operation is about to be issued.
  void prepare() const noexcept { ring_.prefetchControl(); }

  // The call entered the backend at issue_ns. Returns the operation's id.
  OpId issue(RecordedGroup& group, const CallDescription& call,
             const BufferList& buffers, std::uint64_t seq, std::uint64_t batch,
             std::int64_t issue_ns) noexcept;

  // Later events of an operation. A failed one carries a message.
  void returned(OpId op, std::int64_t return_ns) noexcept;
  void threw(OpId op, std::int64_t return_ns, const char* message) noexcept;
  void done(OpId op, std::int64_t end_ns, EndSource source) noexcept;
  void doneFailed(OpId op, std::int64_t end_ns, EndSource source,
                  const char* message) noexcept;
  void done(const DoneRecord& done) noexcept;
  // `return_ns`: when the call had returned, where that is told only now.
  void waited(const WaitRecord& wait,
              std::optional<std::int64_t> return_ns = {}) noexcept;
  void waitThrew(WaitRecord wait, const char* message,
                 std::optional<std::int64_t> return_ns = {}) noexcept;
  // Nobody had waited.
  void released(OpId op, std::int64_t release_ns = nowNs()) noexcept;

  // How the communication library carries it out, by the names that it gives;
  // "" and 0 are what it does not say.
  void method(OpId op, const char* algorithm, const char* protocol,
              std::uint32_t channels) noexcept;

  // What all of the above took for one sampled operation.
  void addOwnTime(std::int64_t ns) noexcept { own_time_.add(ns); }

  // What measures on the devices of the process.
  Devices& devices() noexcept { return *devices_; }

  // What engines are asked now and then.
  EngineChecks& engineChecks() noexcept { return engine_checks_; }

  // nullptr unless other tools, or NCCL, are told of operations.
  const ToolRanges* toolRanges() const { return tool_ranges_.get(); }

  // Something that stands between operations: a training step begins.
  void mark(MarkKind kind, std::uint64_t value,
            const char* message = "") noexcept;

  // Waits until everything recorded so far is in the file; false if the
  // deadline passed first, or if the file refused any of it.
  bool flush(std::chrono::milliseconds deadline);
  // Asks for the same without waiting.
  void requestFlush() noexcept;

  // What was recorded lately, as the chunks of a trace file. Waits for the
  // writer, not for the file. False if the deadline passed first: it then lacks
  // the latest records.
  std::pair<std::string, bool> recent(std::chrono::milliseconds deadline);

  // What was communicated by now. Waits for nothing.
  RankFigures figures();

  // A further destination of the process's chunks, also of its later
  // recorders'; a forked child has none. Any thread.
  static void addSink(std::shared_ptr<Sink> sink);
  static void removeSink(const Sink& sink);

  // How long an operation issued from now on may take until it is told of, on
  // stderr, with a mark and by hangReports(); 0: any time. Any thread.
  void watch(std::int64_t limit_ns) noexcept;
  // What the watch of this process's recorders finds; never gone.
  static HangReports& hangReports();

  // Where the trace is written.
  const std::string& location() const { return location_; }
  // Where its ring is; "" if nobody else can find it.
  const std::string& ringPath() const;

 private:
  Recorder(std::unique_ptr<Segment> segment, std::unique_ptr<Sink> file,
           const v1::Header& header, const Options& options);
  ~Recorder();

  static Result<Recorder*> create(const Options& options,
                                  const ProcessIdentity& process);
  // Whether all is written and the segment gone.
  bool stop(std::chrono::milliseconds deadline,
            std::optional<int> exit_code = {}) noexcept;
  static Result<Recorder*> create(const Options& options,
                                  const v1::Header& header,
                                  std::unique_ptr<Sink> file);
  static void installProcessHooks();
  static Sinks& sinks();
  template <typename Shared>
  static Shared& shared(std::atomic<Shared*>& slot);

  template <typename Event>
  [[gnu::always_inline]] void push(RecordKind kind, OpId op,
                                   const Event& event) noexcept;
  std::uint32_t textId(const char* message) noexcept;
  std::uint32_t threadId() noexcept;
  std::uint32_t stackId(StackSource& source) noexcept;
  std::uint32_t cutStackId(StackSource& source) noexcept;
  std::uint32_t defineThread() noexcept;
  // The calling thread ends.
  static void retireThread() noexcept;

  // In one cache line.
  struct alignas(16) Process {
    std::atomic<Recorder*> recorder{nullptr};
    std::atomic<bool> enabled{true};
  };
  static constinit Process process_;
  static std::atomic<Sinks*> sinks_;
  static std::atomic<HangReports*> hang_reports_;

  const std::unique_ptr<Segment> segment_;
  // What every call needs, in two cache lines; then what fewer do.
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
  const std::unique_ptr<const ToolRanges> tool_ranges_;
  EngineChecks engine_checks_;
  // Last: its thread uses the ring from the beginning.
  const std::unique_ptr<Writer> writer_;

  // Set before others have the recorder.
  ProcessIdentity identity_;

  // Guarded by groups_mutex_; not used inside a collective.
  std::mutex groups_mutex_;
  std::uint32_t next_group_ = 1;
  // How many groups with this leg and these members there have been.
  std::unordered_map<std::string, std::uint32_t> group_counts_;
};

}  // namespace traced
