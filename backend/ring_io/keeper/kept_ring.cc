#include "ring_io/keeper/kept_ring.h"

#include <unistd.h>

#include <cstddef>
#include <utility>

#include "ring_io/recovery/segment_content.h"
#include "ring_io/ring/ring.h"

namespace traced {
namespace {

// A process releases its lock shortly before its end.
constexpr std::chrono::milliseconds kEnding{50};

}  // namespace

KeptRing::KeptRing(std::unique_ptr<SegmentFile> file, SegmentContent content)
    : file_(std::move(file)),
      ring_offset_(content.ring_offset),
      trace_path_(std::move(content.trace_path)),
      header_(std::move(content.header)) {
  const auto owner = file_->lockOwner();
  if (!owner || !procIsOfOurNamespace()) return;
  process_ = ProcessWatch::open(*owner);
  // If the process still holds the lock, the pid was not reused before it was
  // opened.
  if (!file_->isAlive()) process_ = nullptr;
}

std::unique_ptr<KeptRing> KeptRing::open(const std::string& path) {
  auto file = SegmentFile::open(path);
  if (!file || file->uid() != geteuid() || !file->whyRefused().empty()) {
    return nullptr;
  }
  Result<SegmentContent> content = file->describe();
  if (!content) return nullptr;
  return std::unique_ptr<KeptRing>(
      new KeptRing(std::move(file), *std::move(content)));
}

std::optional<pid_t> KeptRing::process() const {
  return process_ ? std::optional(process_->pid()) : std::nullopt;
}

KeptRing::State KeptRing::state() const {
  // Check in this order: a process closes its ring, then removes the name, then
  // ends.
  const bool alive = file_->isAlive();
  if (!file_->isLinked() && isClosed()) return State::kGone;
  return alive ? State::kInUse : State::kLeft;
}

bool KeptRing::isClosed() const {
  std::uint64_t closed = 0;
  return file_->readAt(ring_offset_ + offsetof(RingControl, closed),
                       {reinterpret_cast<char*>(&closed), sizeof closed}) &&
         closed == 1;
}

void KeptRing::noteEnd(State state) {
  if (!process_) return;
  const auto timeout =
      state == State::kLeft ? kEnding : std::chrono::milliseconds(0);
  if (!process_->waitForEnd(timeout)) return;
  process_end_ = process_->end();
  process_has_ended_ = true;
  process_ = nullptr;
}

}  // namespace traced
