#include "recorder/recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <vector>

#include "base/log_message.h"
#include "base/threads.h"
#include "recorder/devices.h"
#include "recorder/writer.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/segment.h"
#include "ring_io/sinks/file_sink.h"
#include "ring_io/support/kill_point.h"

namespace traced {
namespace {

// Capacities of the caches for repeated calls, buffer sets, contexts, stacks
// and messages.
constexpr std::size_t kCallEntries = 1024;
constexpr std::size_t kBufferEntries = 1024;
constexpr std::size_t kContextEntries = 1024;
constexpr std::size_t kStackEntries = 4096;
constexpr std::size_t kTextEntries = 32;
constexpr std::chrono::milliseconds kExitTimeout{2000};

std::string identityKey(const GroupInfo& info) {
  std::string key = info.leg;
  for (const RankRange& range : toRanges(info.members)) {
    key.push_back('|');
    key += std::to_string(range.first) + ',' + std::to_string(range.count) +
           ',' + std::to_string(range.stride);
  }
  return key;
}

// The job may change its working directory.
std::string absolutePath(const std::string& path) {
  std::error_code error;
  return path.empty() ? path : std::filesystem::absolute(path, error).string();
}

Writer::Settings writerSettings(const Options& options) {
  Writer::Settings settings;
  settings.window_bytes = options.window_bytes;
  settings.trigger = absolutePath(options.triggerPath());
  settings.watch_ns = options.watch_ns;
  settings.resources_ns = options.resources_ns;
  settings.standstill_ns = options.standstill_ns;
  settings.sampled_threads = options.standstill_threads;
  if (hasStderr()) settings.print = options.print;
  settings.values = options.values;
  settings.names_cpp_stacks = options.cpp_stacks;
  return settings;
}

HostInfo hostOf(const v1::Header& header) {
  HostInfo host;
  host.host = header.host();
  host.boot_id = header.boot_id();
  return host;
}

}  // namespace

constinit Recorder::Process Recorder::process_;
std::atomic<Sinks*> Recorder::sinks_{nullptr};
std::atomic<HangReports*> Recorder::hang_reports_{nullptr};
std::atomic<bool> Recorder::observed_{false};

Recorder::Recorder(std::unique_ptr<Segment> segment, std::unique_ptr<Sink> file,
                   const v1::Header& header, const Options& options)
    : segment_(std::move(segment)),
      ring_(segment_->ringMemory(), segment_->slots()),
      stream_id_(header.stream_id()),
      calls_(ring_, RecordKind::kDefineCall, kCallEntries),
      buffers_(ring_, RecordKind::kDefineBuffers, kBufferEntries),
      stacks_(ring_, RecordKind::kDefineStack, kStackEntries),
      contexts_(ring_, RecordKind::kDefineContext, kContextEntries),
      texts_(ring_, RecordKind::kDefineText, kTextEntries),
      scope_(options.scope),
      nodes_(nodeName(options.node, hostOf(header))),
      location_(file->location()),
      devices_(std::make_unique<Devices>(*this, options)),
      call_extras_(options, header),
      writer_(std::make_unique<Writer>(
          ring_, own_time_, std::move(file), header, writerSettings(options),
          Writer::Links{&sinks(), &hangReports(), &left_out_, &engine_checks_,
                        &segment_->isLost(), &several_starts_})) {}

Recorder::~Recorder() = default;

Result<Recorder*> Recorder::create(const Options& options,
                                   const ProcessIdentity& process) {
  // The calls below can fail with EINTR. On some kernels this includes the
  // allocation of the ring.
  const SignalsBlocked blocked;
  const HostInfo host = readHostInfo();
  const v1::Header header =
      makeHeader(options, process, host, randomStreamId());
  auto file = FileSink::create(options, process, host);
  if (!file) return file.error();
  const std::string location = (*file)->location();
  auto recorder = create(options, header, std::move(*file));
  if (!recorder) unlink(location.c_str());  // it is empty
  return recorder;
}

Result<Recorder*> Recorder::create(const Options& options,
                                   const v1::Header& header,
                                   std::unique_ptr<Sink> file) {
  try {
    auto segment =
        Segment::create(options.ring_directory, header.stream_id(),
                        options.ring_slots, header.SerializeAsString());
    if (!segment) return Error{"not enough memory for the ring"};
    // "": recovery cannot find the trace.
    segment->setTracePath(absolutePath(file->location()));
    const std::string note = segment->note();
    auto* recorder =
        new Recorder(std::move(segment), std::move(file), header, options);
    if (!note.empty()) logMessage(note);
    return recorder;
  } catch (const std::system_error& e) {
    return Error{std::string("cannot start the writer thread: ") + e.what()};
  } catch (const std::bad_alloc&) {
    return Error{"not enough memory for the recorder"};
  }
}

Result<Recorder*> Recorder::start(const Options& options,
                                  const ProcessIdentity& process) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (Recorder* running = current()) {
    if (running->identity_.hasSamePlaceAs(process)) {
      const std::string& start = running->identity_.rendezvous.start;
      if (start != process.rendezvous.start) running->several_starts_ = true;
      return running;
    }
    // Threads may still be inside a recorded call, so the object stays and only
    // its memory is released.
    if (running->stop(kExitTimeout)) running->segment_->abandon();
  }
  auto recorder = create(options, process);
  if (!recorder) return recorder;
  (*recorder)->identity_ = process;
  // Keeps every recorder reachable, so that leak checkers do not report it.
  static auto* const kept = new std::vector<Recorder*>;
  kept->push_back(*recorder);
  installProcessHooks();
  // Sequentially consistent, as setObserved(): at least one of the two
  // threads sees the store of the other.
  process_.recorder.store(*recorder);
  (*recorder)->call_extras_.setObserved(observed_);
  if (!enabled()) (*recorder)->mark(MarkKind::kDisabled, 0);
  return recorder;
}

void Recorder::setEnabled(bool enabled) noexcept {
  if (process_.enabled.exchange(enabled) == enabled) return;
  if (Recorder* recorder = current()) {
    recorder->mark(enabled ? MarkKind::kEnabled : MarkKind::kDisabled, 0);
  }
}

void Recorder::setObserved(bool observed) noexcept {
  observed_ = observed;
  if (Recorder* const recorder = process_.recorder.load()) {
    recorder->call_extras_.setObserved(observed);
  }
}

void Recorder::installProcessHooks() {
  static const bool installed = [] {
    // Like atexit(), but with the exit code.
    on_exit([](int code, void*) { stopCurrent(kExitTimeout, code); }, nullptr);
    // The ring is shared memory. A child must not write into its parent's.
    pthread_atfork(nullptr, nullptr, [] {
      if (Recorder* parents = process_.recorder.exchange(nullptr)) {
        parents->segment_->abandon();
      }
      // Their threads do not exist in the child, and their locks may be held.
      sinks_.store(nullptr);
      hang_reports_.store(nullptr);
    });
    return true;
  }();
  static_cast<void>(installed);
}

void Recorder::stopCurrent(std::chrono::milliseconds timeout,
                           std::optional<int> exit_code) noexcept {
  if (Recorder* const running = current()) running->stop(timeout, exit_code);
}

bool Recorder::stop(std::chrono::milliseconds timeout,
                    std::optional<int> exit_code) noexcept {
  // First, because devices still record results.
  devices().stop(std::min(timeout, Devices::kExitTimeout));
  Recorder* stopped = this;
  if (!process_.recorder.compare_exchange_strong(stopped, nullptr) ||
      !writer_->stop(timeout, exit_code)) {
    return false;  // the segment stays for recovery
  }
  TRACED_KILL_POINT("stream closed");
  if (segment_->unlinkFile()) return true;
  logMessage({"cannot remove the ring ", segment_->path(), ": ",
              std::strerror(errno)});
  return false;
}

bool Recorder::flush(std::chrono::milliseconds timeout) {
  return writer_->flush(timeout);
}

const std::string& Recorder::ringPath() const { return segment_->path(); }

void Recorder::requestFlush() noexcept { writer_->requestFlush(); }

std::pair<std::string, bool> Recorder::recent(
    std::chrono::milliseconds timeout) {
  Writer::Recent recent = writer_->recent(timeout);
  return {std::move(recent.chunks), recent.up_to_date};
}

template <typename Shared>
Shared& Recorder::shared(std::atomic<Shared*>& slot) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!slot) {
    installProcessHooks();
    static auto* const kept = new std::vector<std::unique_ptr<Shared>>;
    kept->push_back(std::make_unique<Shared>());
    slot = kept->back().get();
  }
  return *slot;
}

Sinks& Recorder::sinks() { return shared(sinks_); }

HangReports& Recorder::hangReports() { return shared(hang_reports_); }

void Recorder::watch(std::int64_t limit_ns) noexcept {
  writer_->watch(limit_ns);
}

RankFigures Recorder::figures() { return writer_->figures(); }

void Recorder::addSink(std::shared_ptr<Sink> sink) {
  sinks().add(std::move(sink));
}

void Recorder::removeSink(const Sink& sink) { sinks().remove(sink); }

std::unique_ptr<RecordedGroup> Recorder::addGroup(GroupInfo info) {
  std::lock_guard lock(groups_mutex_);
  const std::uint32_t nth = group_counts_[identityKey(info)]++;
  auto group = std::make_unique<RecordedGroup>(ring_, next_group_++, nth,
                                               std::move(info));
  if (scope_ == Scope::kNone) group->leaveOut();
  return group;
}

bool Recorder::decideScope(RecordedGroup& group, std::uint64_t job,
                           const NodeMap::Lookup& lookup) {
  if (scope_ != Scope::kCrossNode || group.isLeftOut()) return true;
  nodes_.begin(job);
  const auto spread =
      nodes_.spreadOf(group.info().members, group.info().group_rank, lookup);
  if (spread == NodeMap::Spread::kOneNode) group.leaveOut();
  if (spread != NodeMap::Spread::kSeveralNodes) {
    return spread == NodeMap::Spread::kOneNode;
  }
  const auto here =
      nodes_.hereOf(group.info().members, group.info().group_rank, lookup);
  if (here && std::count(here->begin(), here->end(), true) > 1) {
    group.leaveOutMessages(*here);
  }
  return here.has_value();
}

}  // namespace traced
