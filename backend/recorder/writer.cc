#include "recorder/writer.h"

#include <pthread.h>
#include <signal.h>

#include <cstdio>

#include "recorder/accounts.h"

namespace traced {
namespace {

// The thread inherits the mask it is created under: the job's signals stay the
// job's threads' business.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Writer::Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> sink,
               const v1::Header& header)
    : ring_(ring),
      own_time_(own_time),
      sink_(std::move(sink)),
      builder_(header),
      stream_id_(header.stream_id()),
      last_chunk_(std::chrono::steady_clock::now()) {
  AllSignalsBlocked blocked;
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
  return true;
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
    if (!running) {
      writeChunk(true);
    } else if (!builder_.empty() && (asked || chunkIsDue())) {
      writeChunk(false);
    }
    std::lock_guard lock(mutex_);
    flush_done_ = flush_wanted;
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

void Writer::drain() {
  while (ring_.read(record_)) builder_.add(record_);
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

void Writer::writeChunk(bool closed) {
  const std::uint64_t records = builder_.records();
  const std::uint64_t end = ring_.readPosition();
  const v1::Payload& payload =
      builder_.close(readClocks(), accounts(written_ + records, closed));
  const std::string& chunk =
      encoder_.encode(payload, {stream_id_, chunk_start_, end});
  if (sink_->append(chunk, records)) {
    written_ += records;
  } else {
    write_failed_ += records;
    warnOnce("cannot write to " + sink_->location() +
             "; the job goes on, records are dropped and counted");
  }
  builder_.clear();
  chunk_start_ = end;
  last_chunk_ = std::chrono::steady_clock::now();
  ring_.release(write_failed_);
}

v1::Accounts Writer::accounts(std::uint64_t written, bool closed) const {
  v1::Accounts accounts;
  const RingControl& ring = ring_.control();
  RecordCounters counters;
  counters.written = written;
  counters.deleted = sink_->recordsDeleted();
  counters.ring_full = ring.dropped_full.load(std::memory_order_relaxed);
  counters.issue_lost = ring.dropped_orphans.load(std::memory_order_relaxed);
  counters.write_failed = write_failed_;
  setCounters(accounts, counters);
  for (std::size_t i = 0; i < OwnTime::kBuckets; ++i) {
    accounts.add_own_time_log2_ns(own_time_.bucket(i));
  }
  accounts.set_own_time_total_ns(own_time_.totalNs());
  accounts.set_closed(closed);
  return accounts;
}

void Writer::warnOnce(const std::string& sentence) {
  if (warned_) return;
  warned_ = true;
  std::fprintf(stderr, "traced: %s\n", sentence.c_str());
}

}  // namespace traced
