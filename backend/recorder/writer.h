// Writer is the one thread that drains the ring into the sink.
//
// It looks at the ring every kPoll, and closes a chunk every kChunkInterval, or
// earlier when a quarter of the ring is taken, or when asked to flush. It
// never touches Python and takes no lock that a producer needs.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "recorder/chunk_builder.h"
#include "recorder/own_time.h"
#include "recorder/ring.h"
#include "recorder/sink.h"
#include "trace_io/chunk_encoder.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class Writer {
 public:
  static constexpr std::chrono::milliseconds kPoll{50};
  static constexpr std::chrono::milliseconds kChunkInterval{1000};

  // `ring` and `own_time` outlive the writer. Starts the thread, which writes a
  // first chunk at once, so that the file names its process from the start.
  Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> sink,
         const v1::Header& header);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Waits until all that was committed before the call is in the sink, or was
  // refused by it, at most until the deadline. Any thread.
  bool flush(std::chrono::milliseconds deadline);
  // The same without waiting.
  void requestFlush() noexcept;

  // Writes what is left, marks the stream closed and ends the thread. False if
  // the ring has something that the sink lacks: the deadline passed first, and
  // the thread is left to itself, or the sink refused the end of the stream.
  bool stop(std::chrono::milliseconds deadline);

 private:
  void run();
  // Returns false when the thread should end.
  bool waitForWork(std::uint64_t& flush_wanted);
  void drain() noexcept;
  void drainToTheEnd();
  bool chunkIsDue() const;
  bool chunkIsLarge() const;
  // Both return whether it is in the sink, or the sink is gone.
  bool writeChunk(bool closed) noexcept;
  bool appendChunk(bool closed) noexcept;
  // Begins another chunk. `stored` is false of one that is lost.
  void nextChunk(bool stored) noexcept;
  void repeatDefinitions() noexcept;
  v1::Accounts accounts(std::uint64_t written, bool closed) const;
  void warnOnce(int error) noexcept;

  // Set at construction, then the thread's own.
  Ring& ring_;
  const OwnTime& own_time_;
  std::unique_ptr<Sink> sink_;
  ChunkBuilder builder_;
  ChunkEncoder encoder_;
  const std::uint64_t stream_id_;
  const std::uint64_t most_chunk_slots_;
  Ring::Record record_;
  std::uint64_t chunk_start_ = 0;  // ring position
  std::chrono::steady_clock::time_point last_chunk_;
  std::uint64_t written_ = 0;
  std::uint64_t write_failed_ = 0;
  bool warned_ = false;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable progressed_;
  std::uint64_t flush_wanted_ = 0;
  std::uint64_t flush_done_ = 0;
  bool stopping_ = false;
  bool stopped_ = false;
  bool closed_ = false;  // the sink has the end of the stream, or is gone

  std::thread thread_;
};

}  // namespace traced
