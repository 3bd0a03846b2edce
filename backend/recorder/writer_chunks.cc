// The part of Writer that closes chunks and passes them to the sinks.

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/log_message.h"
#include "recorder/writer.h"
#include "ring_io/chunks/accounts.h"
#include "ring_io/chunks/chunk_pace.h"
#include "ring_io/support/kill_point.h"

namespace traced {
namespace {

// Repeated definitions may need one more part, and another chunk then reports
// what was deleted for it. The limit stops a header that fills a whole part
// from repeating without end.
constexpr std::uint64_t kMaxPartsAtOnce = 4;

}  // namespace

bool Writer::chunkIsDue() const {
  const std::uint64_t slots = ring_.readPosition() - chunk_start_;
  return ring_.used() > ring_.capacity() / 4 ||
         std::chrono::steady_clock::now() - last_chunk_ >=
             chunkInterval(slots, sinks_ && sinks_->any());
}

bool Writer::chunkIsLarge() const {
  return builder_.isFull() ||
         ring_.readPosition() - chunk_start_ >= most_chunk_slots_;
}

// A new part repeats all definitions still in use, because earlier parts will
// be deleted. Records that a killed process leaves in the ring thus stay
// readable. The part's first chunk cannot know what was deleted for it, so a
// further chunk reports that.
bool Writer::writeChunk(bool closed) noexcept {
  const std::uint64_t parts = file_->partsBegun();
  int error = appendChunk(closed);
  if (file_->partsBegun() != parts) repeatDefinitions();
  while (needsAnotherChunk(error, parts)) {
    // The remaining definitions do not fit into the retained parts.
    if (file_->partsBegun() > parts + 1) builder_.stopRepeating();
    const int again = appendChunk(closed);
    if (error == 0 || error == ENOENT) error = again;
  }
  reach(&Writer::in_file_, chunk_start_);
  return error == 0 || error == ENOENT;
}

bool Writer::needsAnotherChunk(int error, std::uint64_t parts) noexcept {
  if (file_->partsBegun() > parts + kMaxPartsAtOnce) return false;
  if (file_->recordsDeleted() != counted_deleted_) return true;
  return error == 0 && builder_.isRepeating();
}

int Writer::appendChunk(bool closed) noexcept {
  const std::uint64_t records = builder_.records();
  bool fits = true;
  int error = 0;
  try {
    if (closed && exit_code_) builder_.endProcess(*exit_code_, nowNs());
    const v1::Payload& payload =
        builder_.close(readClocks(), accounts(written_ + records, closed));
    const std::string& chunk = encoder_.encode(
        payload, {stream_id_, chunk_start_, ring_.readPosition()});
    fits = !chunk.empty() && chunk.size() <= file_->largestChunk();
    TRACED_KILL_POINT("chunk encoded");
    error = chunk.empty() ? EFBIG : give(chunk, records);
  } catch (const std::exception&) {
    error = ENOMEM;
  }
  if (error != 0) warnOnce(error);
  nextChunk(error == 0);
  // Its definitions are not in the file yet.
  if (error != 0 && fits) repeatDefinitions();
  return error;
}

// Returns an errno value; 0 if the file accepted the chunk.
int Writer::give(const std::string& chunk, std::uint64_t records) {
  // The file is last, so a hanging disk delays no other sink.
  window_.append(chunk, records);
  reach(&Writer::in_window_, ring_.readPosition());
  if (sinks_) sinks_->append(chunk, records);
  errno = 0;
  if (file_->append(chunk, records)) return 0;
  return errno != 0 ? errno : EIO;
}

void Writer::repeatDefinitions() noexcept {
  try {
    builder_.repeatDefinitions();
  } catch (const std::exception&) {
    warnOnce(ENOMEM);
  }
}

void Writer::nextChunk(bool stored) noexcept {
  if (stored) {
    written_ += builder_.records();
  } else {
    const std::lock_guard lock(mutex_);
    write_failed_ += builder_.records();
  }
  builder_.clear();
  chunk_start_ = ring_.readPosition();
  last_chunk_ = std::chrono::steady_clock::now();
  TRACED_KILL_POINT("chunk appended");
  ring_.release(write_failed_);
}

void Writer::reach(std::uint64_t Writer::*place,
                   std::uint64_t position) noexcept {
  const std::lock_guard lock(mutex_);
  this->*place = position;
  progressed_.notify_all();
}

v1::Accounts Writer::accounts(std::uint64_t written, bool closed) {
  v1::Accounts accounts;
  RecordCounters counters;
  counters.written = written;
  counters.deleted = counted_deleted_ = file_->recordsDeleted();
  std::vector<ThreadDropCount> drops = ring_.drops();
  if (!ringIsLost()) drops_ = std::move(drops);
  counters.setRingDrops(drops_);
  counters.write_failed = write_failed_;
  setCounters(accounts, counters);
  for (std::size_t i = 0; i < OwnTime::kBuckets; ++i) {
    accounts.add_own_time_log2_ns(own_time_.bucket(i));
  }
  accounts.set_own_time_total_ns(own_time_.totalNs());
  if (left_out_) {
    accounts.set_left_out(left_out_->load(std::memory_order_relaxed));
  }
  if (several_starts_) accounts.set_several_starts(several_starts_->load());
  if (log_) accounts.set_lines_dropped(log_->dropped());
  accounts.set_closed(closed && !ringIsLost());
  return accounts;
}

void Writer::warnOnce(int error) noexcept {
  if (warned_) return;
  warned_ = true;
  std::string where;
  try {
    where = file_->location();
  } catch (const std::exception&) {  // no memory even for that
  }
  logMessage({"cannot write to ", where, ": ", std::strerror(error),
              "; records are dropped and counted, the job continues"});
}

}  // namespace traced
