// Writer is the one thread that drains the ring into the sinks.
//
// It looks at the ring every kPoll, and closes a chunk now and then
// (chunks/chunk_pace.h), or at once when a quarter of the ring is taken, when
// an operation failed, or when asked to flush. Every kHeartbeat it says in the
// ring that the process lives. It never touches Python and takes no lock that a
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
#include "recorder/resource_sampler.h"
#include "recorder/stacks/symbolizer.h"
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

class Writer {
 public:
  static constexpr std::chrono::milliseconds kPoll{50};
  static constexpr std::chrono::milliseconds kHeartbeat{500};

  struct Settings {
    // What the window in memory may hold.
    std::size_t window_bytes = 0;
    // Touching this file asks for a flush; "": none.
    std::string trigger{};
    // How long an operation may take until it is told of; 0: any time.
    std::int64_t watch_ns = 0;
    // How often what the process uses is sampled; 0: never.
    std::int64_t resources_ns = 0;
    // Whether a line is printed for each operation.
    PrintMode print = PrintMode::kOff;
    // Whether stacks have C++ code that needs names.
    bool names_cpp_stacks = false;
  };

  // What the writer works with beside the ring. All of it outlives the writer;
  // nullptr: there is none.
  struct Links {
    Sinks* sinks = nullptr;
    HangReports* reports = nullptr;
    // How many operations were left out so far.
    const std::atomic<std::uint64_t>* left_out = nullptr;
    EngineChecks* engine_checks = nullptr;
    // Set when the ring's memory is no longer what it was (RingGuard).
    const std::atomic<bool>* ring_lost = nullptr;
    // Set when the process joined another start of the job.
    const std::atomic<bool>* several_starts = nullptr;
  };

  // `ring` and `own_time` outlive the writer. Starts the thread, which writes a
  // first chunk at once, so that the file names its process from the start.
  Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> file,
         const v1::Header& header, const Settings& settings,
         const Links& links);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Waits until the writer has dealt with all that was committed before the
  // call, at most until the deadline. True if every record so far is in the
  // file: none of them was refused by it. Any thread.
  bool flush(std::chrono::milliseconds deadline);
  // Asks for the same without waiting.
  void requestFlush() noexcept;

  // The latest chunks, one after another, with all that was committed before
  // the call, unless the deadline passed first. Does not need the file.
  struct Recent {
    std::string chunks;
    bool up_to_date = false;
  };
  Recent recent(std::chrono::milliseconds deadline);

  // What is added up by now, as of the thread's latest look at the ring. Waits
  // for nothing.
  RankFigures figures();

  // How long an operation that is issued from now on may take; 0: any time.
  void watch(std::int64_t limit_ns) noexcept { watch_ns_ = limit_ns; }

  // Writes what is left, marks the stream closed and ends the thread. False if
  // the ring has something that the file lacks: the deadline passed first, and
  // the thread is left to itself, or the file refused the end of the stream.
  // `exit_code`: of the process, if it is known by now.
  bool stop(std::chrono::milliseconds deadline,
            std::optional<int> exit_code = {});

 private:
  void run();
  // What the thread was woken for.
  struct Wake {
    bool stopping;
    bool asked;
  };
  Wake sleep();
  void drain() noexcept;
  void drainToTheEnd();
  bool ringIsLost() const noexcept { return ring_lost_ && *ring_lost_; }
  // Writes what was read before the ring was lost, and tells all who wait that
  // nothing more comes.
  void giveUp() noexcept;
  void reportFigures() noexcept;
  // Says in the ring, now and then, that the process lives.
  void beat() noexcept;
  // Marks what is news, and returns whether there was any. All that was
  // recorded until `drained_ns` is read.
  bool markNews(bool stopping, std::int64_t drained_ns);
  // Does what the trigger file asks for, besides a flush. False if it asks for
  // nothing, or for what was done before.
  bool obey() noexcept;
  ControlAnswer apply(const SettingChanges& changes);
  // Has code named, and takes the names that are there.
  void nameCode(bool stopping) noexcept;
  // Tells of operations that take too long, and returns whether there are any.
  bool recordHangs(bool stopping, std::int64_t drained_ns) noexcept;
  void tell(const HangReport& report);
  void mark(const MarkRecord& mark);
  void sampleResources(bool last) noexcept;
  bool chunkIsDue() const;
  bool chunkIsLarge() const;
  // Whether it is in the file, or the file is gone.
  bool writeChunk(bool closed) noexcept;
  // Whether a chunk has to follow at once, given how the last one ended and how
  // many parts had been begun before.
  bool hasMoreToSay(int error, std::uint64_t parts) noexcept;
  // The number of the error; 0: it is in the file.
  int appendChunk(bool closed) noexcept;
  int give(const std::string& chunk, std::uint64_t records);
  // Begins another chunk. `stored` is false of one that is lost.
  void nextChunk(bool stored) noexcept;
  void repeatDefinitions() noexcept;
  // Tells who waits how far the window or the file is.
  void reach(std::uint64_t Writer::*place, std::uint64_t position) noexcept;
  // Wakes the thread and waits until it has come that far.
  bool awaitPosition(const std::uint64_t Writer::*place,
                     std::chrono::milliseconds deadline);
  v1::Accounts accounts(std::uint64_t written, bool closed);
  void warnOnce(int error) noexcept;

  // Set at construction, then the thread's own.
  Ring& ring_;
  const OwnTime& own_time_;
  std::unique_ptr<Sink> file_;
  Sinks* const sinks_;
  ChunkBuilder builder_;
  ChunkEncoder encoder_;
  FailureWatch failures_;
  HangWatch hangs_;
  OperationSums sums_;
  // Records that did not get into the ring.
  std::uint64_t lost_ = 0;
  HangReports* const reports_;
  const std::atomic<std::uint64_t>* const left_out_;
  const std::atomic<bool>* const several_starts_;
  EngineChecks* const engine_checks_;
  const std::atomic<bool>* const ring_lost_;
  // nullptr: nothing is printed.
  const std::unique_ptr<OperationPrinter> log_;
  // nullptr: no stacks of C++ are recorded.
  const std::unique_ptr<Symbolizer> symbolizer_;
  ResourceSampler resources_;
  const std::uint32_t rank_;
  std::int64_t watched_ns_ = 0;  // when operations were looked at
  TriggerFile trigger_;
  std::uint64_t obeyed_ = 0;  // the latest request
  const std::uint64_t stream_id_;
  const std::uint64_t most_chunk_slots_;
  Ring::Record record_;
  std::uint64_t chunk_start_ = 0;  // ring position
  std::chrono::steady_clock::time_point last_chunk_;
  std::chrono::steady_clock::time_point last_beat_;
  std::uint64_t written_ = 0;
  std::uint64_t counted_deleted_ = 0;  // by the latest chunk
  // As the ring had them last.
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
  std::uint64_t wanted_ = 0;        // up to which position somebody waits
  std::uint64_t in_window_ = 0;     // up to which the window is complete
  std::uint64_t in_file_ = 0;       // up to which the file was given everything
  std::uint64_t write_failed_ = 0;  // written by the thread only
  bool stopping_ = false;
  std::optional<int> exit_code_;  // set before stopping_, then the thread's
  bool stopped_ = false;
  bool gave_up_ = false;
  bool closed_ = false;  // the file has the end of the stream, or is gone

  std::atomic<std::int64_t> watch_ns_;

  std::thread thread_;
};

}  // namespace traced
