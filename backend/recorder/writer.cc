#include "recorder/writer.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.h"
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

Writer::Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> file,
               const v1::Header& header, const Extras& extras)
    : ring_(ring),
      own_time_(own_time),
      file_(std::move(file)),
      sinks_(extras.sinks),
      builder_(header),
      trigger_(extras.trigger),
      stream_id_(header.stream_id()),
      last_chunk_(std::chrono::steady_clock::now()),
      window_(extras.window_bytes) {
  AllSignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
  if (thread_.joinable()) thread_.detach();
}

bool Writer::flush(std::chrono::milliseconds deadline) {
  if (!awaitPosition(&Writer::in_file_, deadline)) return false;
  const std::lock_guard lock(mutex_);
  return write_failed_ == 0;
}

Writer::Recent Writer::recent(std::chrono::milliseconds deadline) {
  Recent recent;
  recent.up_to_date = awaitPosition(&Writer::in_window_, deadline);
  recent.chunks = window_.content();
  return recent;
}

bool Writer::awaitPosition(const std::uint64_t Writer::*place,
                           std::chrono::milliseconds deadline) {
  // What this thread recorded lies before it, and so does all that others had
  // committed.
  const std::uint64_t mine = ring_.claimed();
  std::unique_lock lock(mutex_);
  wanted_ = std::max(wanted_, mine);
  requested_ = true;
  wake_.notify_one();
  progressed_.wait_for(lock, deadline,
                       [&] { return this->*place >= mine || stopped_; });
  return this->*place >= mine;
}

void Writer::requestFlush() noexcept {
  std::lock_guard lock(mutex_);
  requested_ = true;
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
  bool stopping = false;
  while (!stopping) {
    const Wake wake = sleep();
    stopping = wake.stopping;
    stopping ? drainToTheEnd() : drain();
    const bool news = markNews(stopping);
    if (stopping) {
      writeChunk(true);
    } else if (!builder_.empty() && (wake.asked || news || chunkIsDue())) {
      writeChunk(false);
    }
  }
  std::lock_guard lock(mutex_);
  stopped_ = true;
  progressed_.notify_all();
}

Writer::Wake Writer::sleep() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kPoll, [&] { return stopping_ || requested_; });
  // A record that was claimed and not yet committed may be waited for longer
  // than the request lasts.
  const bool asked = requested_ || wanted_ > in_file_;
  requested_ = false;
  return {stopping_, asked};
}

void Writer::drain() {
  while (ring_.read(record_)) {
    builder_.add(record_);
    failures_.see(record_);
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

bool Writer::markNews(bool stopping) {
  bool news = false;
  if (const auto failure = failures_.take()) {
    mark(*failure);
    news = true;
  }
  if (!stopping && trigger_.touched()) {
    mark({nowNs(), 0, MarkKind::kFlush});
    news = true;
  }
  return news;
}

void Writer::mark(const MarkRecord& mark) {
  // What waits for the next chunk may fill the ring.
  if (ring_.used() >= ring_.capacity()) writeChunk(false);
  ring_.push(RecordKind::kMark, mark);
  drain();
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
  // The file comes last: a disk that hangs keeps the chunk from nobody else.
  window_.append(chunk, records);
  reach(&Writer::in_window_, end);
  if (sinks_) sinks_->append(chunk, records);
  if (file_->append(chunk, records)) {
    written_ += records;
  } else {
    {
      const std::lock_guard lock(mutex_);
      write_failed_ += records;
    }
    warnOnce("cannot write to " + file_->location() +
             "; the job goes on, records are dropped and counted");
  }
  builder_.clear();
  chunk_start_ = end;
  last_chunk_ = std::chrono::steady_clock::now();
  ring_.release(write_failed_);
  reach(&Writer::in_file_, end);
}

void Writer::reach(std::uint64_t Writer::*place, std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  this->*place = position;
  progressed_.notify_all();
}

v1::Accounts Writer::accounts(std::uint64_t written, bool closed) const {
  v1::Accounts accounts;
  const RingControl& ring = ring_.control();
  RecordCounters counters;
  counters.written = written;
  counters.deleted = file_->recordsDeleted();
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
