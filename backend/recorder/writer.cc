#include "recorder/writer.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "recorder/accounts.h"
#include "recorder/kill_point.h"
#include "recorder/signals_blocked.h"

namespace traced {
namespace {

// A chunk holds at most this many slots, however large the ring is.
constexpr std::uint64_t kMostChunkSlots = 65536;

}  // namespace

Writer::Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> sink,
               const v1::Header& header)
    : ring_(ring),
      own_time_(own_time),
      sink_(std::move(sink)),
      builder_(header),
      stream_id_(header.stream_id()),
      // A slot hardly ever takes more in the file than in the ring.
      most_chunk_slots_(
          std::min(kMostChunkSlots, sink_->largestChunk() / kSlotBytes)),
      last_chunk_(std::chrono::steady_clock::now()) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
  if (thread_.joinable()) thread_.detach();
}

bool Writer::flush(std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = ++flush_wanted_;
  wake_.notify_one();
  return progressed_.wait_for(lock, deadline,
                              [&] { return flush_done_ >= mine || stopped_; });
}

void Writer::requestFlush() noexcept {
  std::lock_guard lock(mutex_);
  ++flush_wanted_;
  wake_.notify_one();
}

bool Writer::stop(std::chrono::milliseconds deadline) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
    if (!progressed_.wait_for(lock, deadline, [&] { return stopped_; })) {
      return false;
    }
  }
  if (thread_.joinable()) thread_.join();
  return closed_;
}

void Writer::run() {
  pthread_setname_np(pthread_self(), "traced-writer");
  writeChunk(false);
  std::uint64_t flush_wanted = 0;
  bool running = true;
  while (running) {
    disciplineTicks();
    running = waitForWork(flush_wanted);
    running ? drain() : drainToTheEnd();
    const bool asked = flush_wanted > flush_done_;
    bool closed = false;
    if (!running) {
      closed = writeChunk(true);
    } else if (!builder_.empty() && (asked || chunkIsDue())) {
      writeChunk(false);
    }
    std::lock_guard lock(mutex_);
    flush_done_ = flush_wanted;
    closed_ = closed;
    stopped_ = !running;
    progressed_.notify_all();
  }
}

bool Writer::waitForWork(std::uint64_t& flush_wanted) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kPoll,
                 [&] { return stopping_ || flush_wanted_ > flush_done_; });
  flush_wanted = flush_wanted_;
  return !stopping_;
}

void Writer::drain() noexcept {
  // Not for as long as there are records: who asked for a flush waits.
  const std::uint64_t end = ring_.readPosition() + ring_.unread();
  try {
    while (ring_.readPosition() < end && ring_.read(record_)) {
      builder_.add(record_);
      if (chunkIsLarge()) writeChunk(false);
    }
  } catch (const std::exception&) {
    warnOnce(ENOMEM);
    nextChunk(false);
  }
}

void Writer::drainToTheEnd() {
  // Nobody begins a record any more; who is within one needs nanoseconds, or
  // is a thread that no longer runs.
  const auto give_up = std::chrono::steady_clock::now() + kPoll;
  drain();
  while (ring_.unread() > 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
    drain();
  }
}

bool Writer::chunkIsDue() const {
  return ring_.used() > ring_.capacity() / 4 ||
         std::chrono::steady_clock::now() - last_chunk_ >= kChunkInterval;
}

bool Writer::chunkIsLarge() const {
  return ring_.readPosition() - chunk_start_ >= most_chunk_slots_;
}

// A new part defines all that may still be named, because those before it will
// be deleted: what a killed process leaves in the ring is then understood. What
// was deleted for it, its first chunk could not know: another one says so.
bool Writer::writeChunk(bool closed) noexcept {
  const std::uint64_t parts = sink_->partsBegun();
  const std::uint64_t deleted = sink_->recordsDeleted();
  bool appended = appendChunk(closed);
  if (sink_->partsBegun() != parts) {
    repeatDefinitions();
  } else if (sink_->recordsDeleted() == deleted) {
    return appended;
  }
  const std::uint64_t said = sink_->recordsDeleted();
  appended = appendChunk(closed) && appended;
  if (sink_->recordsDeleted() != said) appendChunk(closed);
  return appended;
}

bool Writer::appendChunk(bool closed) noexcept {
  const std::uint64_t records = builder_.records();
  bool fits = true;
  int error = 0;
  try {
    const v1::Payload& payload =
        builder_.close(readClocks(), accounts(written_ + records, closed));
    const std::string& chunk = encoder_.encode(
        payload, {stream_id_, chunk_start_, ring_.readPosition()});
    fits = chunk.size() <= sink_->largestChunk();
    TRACED_KILL_POINT("chunk encoded");
    if (!sink_->append(chunk, records)) error = errno;
  } catch (const std::exception&) {
    error = ENOMEM;
  }
  if (error != 0) warnOnce(error);
  nextChunk(error == 0);
  // Its definitions are still to be said.
  if (error != 0 && fits) repeatDefinitions();
  return error == 0 || error == ENOENT;
}

void Writer::repeatDefinitions() noexcept {
  try {
    builder_.repeatDefinitions();
  } catch (const std::exception&) {
    warnOnce(ENOMEM);
  }
}

void Writer::nextChunk(bool stored) noexcept {
  (stored ? written_ : write_failed_) += builder_.records();
  builder_.clear();
  chunk_start_ = ring_.readPosition();
  last_chunk_ = std::chrono::steady_clock::now();
  TRACED_KILL_POINT("chunk appended");
  ring_.release(write_failed_);
}

v1::Accounts Writer::accounts(std::uint64_t written, bool closed) const {
  v1::Accounts accounts;
  RecordCounters counters;
  counters.written = written;
  counters.deleted = sink_->recordsDeleted();
  counters.setRingDrops(ring_.drops());
  counters.write_failed = write_failed_;
  setCounters(accounts, counters);
  for (std::size_t i = 0; i < OwnTime::kBuckets; ++i) {
    accounts.add_own_time_log2_ns(own_time_.bucket(i));
  }
  accounts.set_own_time_total_ns(own_time_.totalNs());
  accounts.set_closed(closed);
  return accounts;
}

void Writer::warnOnce(int error) noexcept {
  if (warned_) return;
  warned_ = true;
  std::string where;
  try {
    where = sink_->location();
  } catch (const std::exception&) {  // no memory even for that
  }
  std::fprintf(stderr,
               "traced: cannot write to %s: %s; the job goes on, records are "
               "dropped and counted\n",
               where.c_str(), std::strerror(error));
}

}  // namespace traced
