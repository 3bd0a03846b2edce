// Writer runs the one thread that moves records from the ring to the sinks.
//
// The thread polls the ring every kPoll and closes a chunk at the pace of
// chunks/chunk_pace.h. It closes one at once if a quarter of the ring is used,
// an operation failed, or a flush was requested. Every kHeartbeat it updates
// the heartbeat in the ring. It never calls Python and takes no lock that a
// producer needs.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "recorder/engine_checks.h"
#include "recorder/metrics/metrics.h"
#include "recorder/metrics/operation_sums.h"
#include "recorder/own_time.h"
#include "recorder/print/operation_printer.h"
#include "recorder/resources/resource_sampler.h"
#include "recorder/stacks/symbolizer.h"
#include "recorder/standstill/idle_watch.h"
#include "recorder/standstill/python_threads.h"
#include "recorder/trigger_file.h"
#include "recorder/watch/failure_watch.h"
#include "recorder/watch/hang_reports.h"
#include "recorder/watch/hang_watch.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/control/control_request.h"
#include "ring_io/control/setting_changes.h"
#include "ring_io/ring/ring.h"
#include "ring_io/settings/options.h"
#include "ring_io/sinks/memory_sinks.h"
#include "ring_io/sinks/sink.h"
#include "ring_io/sinks/sinks.h"
#include "trace_io/chunk_encoder.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class Recorder;

class Writer {
 public:
  static constexpr std::chrono::milliseconds kPoll{50};
  static constexpr std::chrono::milliseconds kHeartbeat{500};

  struct Settings {
    // Capacity of the in-memory window.
    std::size_t window_bytes = 0;
    // Touching this file requests a flush. "": no file.
    std::string trigger{};
    // Duration after which an operation is reported. 0: never.
    std::int64_t watch_ns = 0;
    // Interval between resource samples. 0: no samples.
    std::int64_t resources_ns = 0;
    // Idle time after which threads are sampled. 0: never.
    std::int64_t standstill_ns = 0;
    SampledThreads sampled_threads = SampledThreads::kIssuing;
    // Whether to print a line per operation.
    PrintOptions print;
    ValueOptions values;
    // Whether recorded C++ stacks need function names.
    bool names_cpp_stacks = false;
  };

  // Optional collaborators. nullptr means absent. Each must outlive the writer.
  struct Links {
    Sinks* sinks = nullptr;
    HangReports* reports = nullptr;
    // Number of operations excluded so far.
    const std::atomic<std::uint64_t>* left_out = nullptr;
    EngineChecks* engine_checks = nullptr;
    // Set when the ring's memory was lost (RingGuard).
    const std::atomic<bool>* ring_lost = nullptr;
    // Set when the process joined another start of the job.
    const std::atomic<bool>* several_starts = nullptr;
  };

  // Starts the thread. `ring` and `own_time` must outlive the writer. The
  // thread writes a first chunk at once, so that the file identifies its
  // process from the start.
  Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> file,
         const v1::Header& header, const Settings& settings,
         const Links& links);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Blocks until the writer has processed all records committed before the
  // call, or until the timeout. Returns true if every record so far is in the
  // file. Any thread.
  bool flush(std::chrono::milliseconds timeout);
  // Requests a flush without waiting.
  void requestFlush() noexcept;

  // The latest chunks, concatenated. They contain all records committed before
  // the call unless the timeout passed. Does not need the file.
  struct Recent {
    std::string chunks;
    bool up_to_date = false;
  };
  Recent recent(std::chrono::milliseconds timeout);

  // Returns the totals as of the latest poll of the ring. Never blocks.
  RankFigures figures();

  // Sets how long an operation issued from now on may take. 0: any time.
  void watch(std::int64_t limit_ns) noexcept { watch_ns_ = limit_ns; }

  // Writes the remaining records, marks the stream closed and ends the thread.
  // Returns false if the ring holds records that the file lacks. Then either
  // the timeout passed and the thread keeps running, or the file rejected the
  // end of the stream. `exit_code` is the exit code of the process, if known.
  bool stop(std::chrono::milliseconds timeout,
            std::optional<int> exit_code = {});

 private:
  void run();
  // Why the thread woke up.
  struct Wake {
    bool stopping;
    bool asked;
  };
  Wake sleep();
  // Reads all records that are in the ring at this moment, and closes chunks
  // that become too large.
  void drain() noexcept;
  // Reads until the ring is empty. Waits up to kPoll for unfinished records.
  void drainToTheEnd();
  bool ringIsLost() const noexcept { return ring_lost_ && *ring_lost_; }
  // Writes what was read before the ring was lost, and wakes all waiting
  // threads.
  void giveUp() noexcept;
  // Publishes the current totals for figures().
  void reportFigures() noexcept;
  // Updates the heartbeat and runs the engine checks, once per kHeartbeat.
  void beat() noexcept;
  // Records marks for new failures, hangs and requests. Returns the kind of
  // news, if any. The ring has been read up to `drained_ns`.
  std::optional<v1::SampleCause> markNews(bool stopping,
                                          std::int64_t drained_ns);
  // Executes the request in the trigger file. Returns false if it holds no
  // request, or one that was already executed.
  bool executeRequest() noexcept;
  ControlAnswer apply(const SettingChanges& changes);
  // Requests names for new code and stores the names found so far. Never
  // blocks, except at the end.
  void nameCode(bool stopping) noexcept;
  // Reports operations that take too long. Returns whether it found any.
  bool recordHangs(bool stopping, std::int64_t drained_ns) noexcept;
  void reportHang(const HangReport& report);
  void mark(const MarkRecord& mark);
  void sampleResources(bool last) noexcept;
  // Samples the threads if there is a reason to. Returns whether it did.
  bool sampleThreads(std::optional<v1::SampleCause> news,
                     std::int64_t drained_ns) noexcept;
  // Returns whether operations that are not recorded may have been issued since
  // the last call.
  bool mayCommunicateUnseen();
  // Returns the kernel ids of the threads to sample, the main thread first.
  std::vector<std::int64_t> sampledThreads(PythonThreads* python) const;
  void sampleThreads(v1::SampleCause cause, Recorder& recorder);
  // Returns whether to close the chunk by now, for its age or the ring's fill.
  bool chunkIsDue() const;
  // Returns whether the chunk has reached its maximum size.
  bool chunkIsLarge() const;
  // Closes the chunk and passes it to the sinks. `closed` marks the stream
  // closed. Returns whether the chunk is in the file, or the file was deleted.
  bool writeChunk(bool closed) noexcept;
  // Returns whether another chunk must follow at once. `error` is the result of
  // the previous chunk, `parts` the number of parts begun before it.
  bool needsAnotherChunk(int error, std::uint64_t parts) noexcept;
  // Encodes the chunk, gives it to the window, the sinks and the file, and
  // starts the next one. Return an errno value; 0 if the chunk is in the file.
  int appendChunk(bool closed) noexcept;
  int give(const std::string& chunk, std::uint64_t records);
  // Starts the next chunk. `stored` is false if the previous one was lost.
  void nextChunk(bool stored) noexcept;
  void repeatDefinitions() noexcept;
  // Publishes the position that the window or the file has reached, and wakes
  // waiting threads.
  void reach(std::uint64_t Writer::*place, std::uint64_t position) noexcept;
  // Wakes the thread and blocks until it has reached the current position.
  // Returns false if the timeout passed.
  bool awaitPosition(const std::uint64_t Writer::*place,
                     std::chrono::milliseconds timeout);
  v1::Accounts accounts(std::uint64_t written, bool closed);
  // Warns about the first write error (an errno value) on stderr.
  void warnOnce(int error) noexcept;

  // Set at construction, then used by the thread only.
  Ring& ring_;
  const OwnTime& own_time_;
  std::unique_ptr<Sink> file_;
  Sinks* const sinks_;
  ChunkBuilder builder_;
  ChunkEncoder encoder_;
  FailureWatch failures_;
  HangWatch hangs_;
  IdleWatch idle_;
  const bool samples_threads_;
  const SampledThreads sampled_threads_;
  std::int64_t sampled_ns_ = 0;  // when threads were last sampled
  std::uint64_t seen_left_out_ = 0;
  OperationSums sums_;
  // Number of records that did not fit into the ring.
  std::uint64_t lost_ = 0;
  HangReports* const reports_;
  const std::atomic<std::uint64_t>* const left_out_;
  const std::atomic<bool>* const several_starts_;
  EngineChecks* const engine_checks_;
  const std::atomic<bool>* const ring_lost_;
  // nullptr: printing is off.
  const std::unique_ptr<OperationPrinter> log_;
  // nullptr: no C++ stacks are recorded.
  const std::unique_ptr<Symbolizer> symbolizer_;
  // nullptr: resources are not sampled.
  const std::unique_ptr<ResourceSampler> resources_;
  const std::uint32_t rank_;
  std::int64_t watched_ns_ = 0;  // when operations were last checked
  TriggerFile trigger_;
  std::uint64_t last_request_ = 0;  // id of the latest executed request
  const std::uint64_t stream_id_;
  const std::uint64_t most_chunk_slots_;
  Ring::Record record_;
  std::uint64_t chunk_start_ = 0;  // ring position
  std::chrono::steady_clock::time_point last_chunk_;
  std::chrono::steady_clock::time_point last_beat_;
  std::uint64_t written_ = 0;
  std::uint64_t counted_deleted_ = 0;  // as counted by the latest chunk
  // The latest drop counters read from an intact ring.
  std::vector<ThreadDropCount> drops_;
  bool warned_ = false;

  Window window_;

  // Guarded by figures_mutex_.
  std::mutex figures_mutex_;
  RankFigures figures_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable progressed_;
  bool requested_ = false;
  std::uint64_t wanted_ = 0;     // position that a thread waits for
  std::uint64_t in_window_ = 0;  // position up to which the window is complete
  std::uint64_t in_file_ = 0;    // position up to which the file received all
  std::uint64_t write_failed_ = 0;  // changed by the thread only
  bool stopping_ = false;
  // set before stopping_, then read by the thread
  std::optional<int> exit_code_;
  bool stopped_ = false;
  bool gave_up_ = false;
  // the end of the stream is written, or the file is deleted
  bool closed_ = false;

  std::atomic<std::int64_t> watch_ns_;

  std::thread thread_;
};

}  // namespace traced
