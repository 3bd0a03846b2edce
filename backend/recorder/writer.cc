#include "recorder/writer.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/log_message.h"
#include "base/threads.h"
#include "recorder/stacks/cpp_stack.h"
#include "ring_io/chunks/chunk_pace.h"

namespace traced {
namespace {

// Maximum slots per chunk, regardless of the ring's size.
constexpr std::uint64_t kMaxChunkSlots = 65536;

// Returns the bytes of a chunk available for definitions. The rest is for rows.
std::size_t definitionRoom(std::uint64_t largest_chunk) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(
      ChunkBuilder::kDefinitionRoom, largest_chunk / 2));
}

// Maximum interval between checks for operations that take too long.
constexpr std::int64_t kMaxWatchPauseNs = 1'000'000'000;
// Maximum time to wait for function names at the end.
constexpr std::chrono::milliseconds kLastNames{800};

MarkKind markOf(HangReport::State state) {
  switch (state) {
    case HangReport::State::kUnfinished:
      return MarkKind::kUnfinished;
    case HangReport::State::kUndecided:
      return MarkKind::kUndecided;
    case HangReport::State::kLate:
      return MarkKind::kLate;
  }
  return MarkKind::kUnfinished;
}

}  // namespace

Writer::Writer(Ring& ring, const OwnTime& own_time, std::unique_ptr<Sink> file,
               const v1::Header& header, const Settings& settings,
               const Links& links)
    : ring_(ring),
      own_time_(own_time),
      file_(std::move(file)),
      sinks_(links.sinks),
      builder_(header, definitionRoom(file_->largestChunk())),
      hangs_(builder_),
      idle_(settings.standstill_ns, nowNs()),
      samples_threads_(settings.standstill_ns > 0),
      sampled_threads_(settings.sampled_threads),
      sums_(builder_),
      reports_(links.reports),
      left_out_(links.left_out),
      several_starts_(links.several_starts),
      engine_checks_(links.engine_checks),
      ring_lost_(links.ring_lost),
      log_(settings.print.any()
               ? std::make_unique<OperationPrinter>(
                     settings.print, settings.values, builder_, header)
               : nullptr),
      symbolizer_(settings.names_cpp_stacks
                      ? std::make_unique<Symbolizer>(dladdrReader())
                      : nullptr),
      resources_(settings.resources_ns == 0
                     ? nullptr
                     : std::make_unique<ResourceSampler>(settings.resources_ns,
                                                         nowNs())),
      rank_(header.rank()),
      trigger_(settings.trigger),
      stream_id_(header.stream_id()),
      // A slot rarely takes more space in the file than in the ring.
      most_chunk_slots_(
          std::min(kMaxChunkSlots, file_->largestChunk() / kSlotBytes)),
      last_chunk_(std::chrono::steady_clock::now()),
      window_(settings.window_bytes),
      watch_ns_(settings.watch_ns) {
  figures_.polled_ns = nowNs();
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
  if (thread_.joinable()) thread_.detach();
}

bool Writer::flush(std::chrono::milliseconds timeout) {
  if (!awaitPosition(&Writer::in_file_, timeout)) return false;
  const std::lock_guard lock(mutex_);
  return write_failed_ == 0 && !gave_up_;
}

Writer::Recent Writer::recent(std::chrono::milliseconds timeout) {
  Recent recent;
  recent.up_to_date = awaitPosition(&Writer::in_window_, timeout);
  recent.chunks = window_.content();
  return recent;
}

RankFigures Writer::figures() {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

bool Writer::awaitPosition(const std::uint64_t Writer::*place,
                           std::chrono::milliseconds timeout) {
  // Everything that this thread recorded, and that others committed, is before
  // this position.
  const std::uint64_t mine = ring_.claimed();
  std::unique_lock lock(mutex_);
  wanted_ = std::max(wanted_, mine);
  requested_ = true;
  wake_.notify_one();
  progressed_.wait_for(lock, timeout, [&] {
    return this->*place >= mine || stopped_ || gave_up_;
  });
  return this->*place >= mine && !gave_up_;
}

void Writer::requestFlush() noexcept {
  std::lock_guard lock(mutex_);
  requested_ = true;
  wake_.notify_one();
}

bool Writer::stop(std::chrono::milliseconds timeout,
                  std::optional<int> exit_code) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    exit_code_ = exit_code;
    wake_.notify_one();
    if (!progressed_.wait_for(lock, timeout, [&] { return stopped_; })) {
      return false;
    }
  }
  if (thread_.joinable()) thread_.join();
  return closed_;
}

void Writer::run() {
  beginThread("traced-writer");
  writeChunk(false);
  bool stopping = false;
  bool closed = false;
  while (!stopping) {
    disciplineTicks();
    const Wake wake = sleep();
    stopping = wake.stopping;
    if (ringIsLost()) {
      giveUp();
      continue;
    }
    const std::int64_t drained_ns = nowNs();
    sampleResources(stopping);
    stopping ? drainToTheEnd() : drain();
    if (log_) log_->printEnded(stopping ? EndedLines::kAtExit : nowNs());
    reportFigures();
    beat();
    nameCode(stopping);
    const auto news = markNews(stopping, drained_ns);
    const bool sampled = !stopping && sampleThreads(news, drained_ns);
    if (stopping) {
      if (log_) log_->finish();
      closed = writeChunk(true) && !ringIsLost();
      if (!ringIsLost()) ring_.close();
    } else if (!builder_.empty() &&
               (wake.asked || news || sampled || chunkIsDue())) {
      writeChunk(false);
    }
  }
  const std::lock_guard lock(mutex_);
  closed_ = closed;
  stopped_ = true;
  progressed_.notify_all();
}

Writer::Wake Writer::sleep() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kPoll, [&] { return stopping_ || requested_; });
  // A record that was claimed but not yet committed may outlast the request.
  const bool asked = requested_ || wanted_ > in_file_;
  requested_ = false;
  return {stopping_, asked};
}

void Writer::drain() noexcept {
  // Bounded: producers may keep adding records while a flush waits.
  const std::uint64_t end = ring_.readPosition() + ring_.unread();
  try {
    hangs_.setLimit(watch_ns_);
    while (ring_.readPosition() < end && ring_.read(record_)) {
      // The record may be damaged.
      if (ringIsLost()) return;
      builder_.add(record_);
      failures_.update(record_);
      hangs_.update(record_);
      idle_.update(record_);
      sums_.update(record_);
      if (log_) log_->print(record_);
      if (chunkIsLarge()) writeChunk(false);
    }
  } catch (const std::exception&) {
    warnOnce(ENOMEM);
    nextChunk(false);
    reach(&Writer::in_file_, chunk_start_);
  }
}

void Writer::drainToTheEnd() {
  // No new record starts now. A producer inside one needs nanoseconds, or its
  // thread no longer runs.
  const auto give_up = std::chrono::steady_clock::now() + kPoll;
  drain();
  while (ring_.unread() > 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
    drain();
  }
}

void Writer::reportFigures() noexcept {
  try {
    std::uint64_t lost = 0;
    for (const ThreadDropCount& thread : ring_.drops()) lost += thread.all();
    if (std::exchange(lost_, lost) != lost) {
      sums_.addLoss();
      hangs_.addLoss();
    }
    RankFigures figures = sums_.figures(nowNs());
    figures.lost_records += lost;
    const std::lock_guard lock(figures_mutex_);
    figures_ = std::move(figures);
  } catch (const std::exception&) {  // no memory: the figures stay older
  }
}

void Writer::giveUp() noexcept {
  if (gave_up_) return;  // written by this thread only
  logMessage("the ring file was truncated: recording stops, the job continues");
  if (!builder_.empty()) writeChunk(false);
  const std::lock_guard lock(mutex_);
  gave_up_ = true;
  progressed_.notify_all();
}

void Writer::beat() noexcept {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_beat_ < kHeartbeat) return;
  last_beat_ = now;
  ring_.beat(readClocks());
  if (engine_checks_) engine_checks_->run();
}

std::optional<v1::SampleCause> Writer::markNews(bool stopping,
                                                std::int64_t drained_ns) {
  std::optional<v1::SampleCause> news;
  if (const auto failure = failures_.take()) {
    mark(*failure);
    news = v1::SAMPLE_CAUSE_FAILURE;
  }
  if (!stopping && trigger_.touched()) {
    if (!executeRequest()) mark({nowNs(), 0, MarkKind::kFlush});
    news = v1::SAMPLE_CAUSE_REQUEST;
  }
  if (recordHangs(stopping, drained_ns) && !news) {
    news = v1::SAMPLE_CAUSE_SLOW_OPERATION;
  }
  return news;
}

void Writer::nameCode(bool stopping) noexcept {
  if (!symbolizer_) return;
  countUnloads();
  try {
    for (v1::Code& code : builder_.takeNewCode()) {
      symbolizer_->ask(std::move(code));
    }
    auto named =
        stopping ? symbolizer_->finish(kLastNames) : symbolizer_->take();
    for (v1::Code& code : named) builder_.nameCode(std::move(code));
  } catch (const std::exception&) {  // no memory or thread: it stays unnamed
  }
}

bool Writer::recordHangs(bool stopping, std::int64_t drained_ns) noexcept {
  const std::int64_t limit_ns = watch_ns_;
  const std::int64_t pause_ns = std::min(limit_ns / 20, kMaxWatchPauseNs);
  const bool paused = !stopping && drained_ns - watched_ns_ < pause_ns;
  if (limit_ns == 0 || paused) return false;
  watched_ns_ = drained_ns;
  try {
    // Ends after `drained_ns` were not read, so operations that ended since are
    // not counted as hanging at that time.
    const std::vector<HangReport> found = hangs_.take(drained_ns);
    for (const HangReport& report : found) reportHang(report);
    return !found.empty();
  } catch (const std::exception&) {
    warnOnce(ENOMEM);
    return false;
  }
}

void Writer::reportHang(const HangReport& report) {
  mark({nowNs(), report.op, markOf(report.state)});
  if (reports_) reports_->put(report);
  logMessage(sentenceOf(report, rank_));
}

void Writer::mark(const MarkRecord& mark) {
  // Records that wait for the next chunk may fill the ring.
  if (ring_.used() >= ring_.capacity()) writeChunk(false);
  ring_.push(RecordKind::kMark, mark);
  drain();
}

}  // namespace traced
