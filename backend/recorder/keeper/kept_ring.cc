#include "recorder/keeper/kept_ring.h"

#include <unistd.h>

#include <utility>

#include "recorder/recovery/segment_content.h"

namespace traced {
namespace {

// A process gives up its lock some moments before it has ended.
constexpr std::chrono::milliseconds kEnding{50};

}  // namespace

KeptRing::KeptRing(std::unique_ptr<SegmentFile> file, std::string trace_path,
                   v1::Header header)
    : file_(std::move(file)),
      trace_path_(std::move(trace_path)),
      header_(std::move(header)) {
  const auto owner = file_->lockOwner();
  if (!owner || !procIsOfOurNamespace()) return;
  process_ = ProcessWatch::open(*owner);
  // Held by it still: so the number is not another process's by now.
  if (!file_->isAlive()) process_ = nullptr;
}

std::unique_ptr<KeptRing> KeptRing::open(const std::string& path) {
  auto file = SegmentFile::open(path);
  if (!file || file->uid() != geteuid() || !file->whyRefused().empty()) {
    return nullptr;
  }
  Result<SegmentContent> content = file->describe();
  if (!content) return nullptr;
  return std::unique_ptr<KeptRing>(new KeptRing(std::move(file),
                                                std::move(content->trace_path),
                                                std::move(content->header)));
}

std::optional<pid_t> KeptRing::process() const {
  return process_ ? std::optional(process_->pid()) : std::nullopt;
}

KeptRing::State KeptRing::state() const {
  if (!file_->isLinked()) return State::kGone;
  if (file_->isAlive()) return State::kInUse;
  // It may have ended in order since it was asked first.
  return file_->isLinked() ? State::kLeft : State::kGone;
}

void KeptRing::noteEnd(State state) {
  if (!process_) return;
  const auto deadline =
      state == State::kLeft ? kEnding : std::chrono::milliseconds(0);
  if (!process_->waitForEnd(deadline)) return;
  process_end_ = process_->end();
  process_has_ended_ = true;
  process_ = nullptr;
}

}  // namespace traced
