#include "ring_io/recovery/ring_tail.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "ring_io/recovery/ring_image.h"
#include "ring_io/settings/process_info.h"

namespace traced {
namespace {

// A thread that makes no progress for this long is stopped or dead. The records
// of other threads after it are then no longer held back.
constexpr std::chrono::seconds kPatience{1};

}  // namespace

std::optional<Result<std::unique_ptr<RingTail>>> RingTail::open(
    const RingFile& ring) {
  errno = 0;
  std::unique_ptr<SegmentFile> file = SegmentFile::open(ring.path);
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return Error{std::string("it cannot be read: ") + std::strerror(errno)};
  }
  if (file->isBeingCreated()) return std::nullopt;
  const std::string why = file->whyRefusedLive();
  if (!why.empty()) return Error{why};
  Result<SegmentContent> content = file->describe();
  if (!content) return content.error();
  if (content->header.boot_id() != readHostInfo().boot_id ||
      !sharesClocks(content->header)) {
    return Error{"it is of another boot or host, or has a clock of its own"};
  }
  return Result(std::unique_ptr<RingTail>(
      new RingTail(std::move(file), *std::move(content))));
}

RingTail::RingTail(std::unique_ptr<SegmentFile> file, SegmentContent content)
    : file_(std::move(file)),
      content_(std::move(content)),
      bytes_(Ring::bytesFor(content_.slots)),
      memory_(std::make_unique_for_overwrite<char[]>(bytes_)) {}

bool RingTail::readControl() {
  return file_->readAt(content_.ring_offset,
                       {memory_.get(), sizeof(RingControl)});
}

bool RingTail::readSlots(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t slots = content_.slots;
  while (begin < end) {
    const std::uint64_t index = begin & (slots - 1);
    const std::uint64_t count = std::min(end - begin, slots - index);
    const std::size_t at = sizeof(RingControl) + index * kSlotBytes;
    if (!file_->readAt(content_.ring_offset + at,
                       {memory_.get() + at, count * kSlotBytes})) {
      return false;
    }
    begin += count;
  }
  return true;
}

void RingTail::skipTo(std::uint64_t position) {
  if (position <= cursor_.position) return;
  if (read_before_) missed_slots_ += position - cursor_.position;
  cursor_.position = position;
  resyncing_ = true;
}

bool RingTail::isStuck() {
  if (std::exchange(stuck_at_, cursor_.position) != cursor_.position) {
    waits_since_ = Clock::now();
  }
  return Clock::now() - waits_since_ >= kPatience;
}

bool RingTail::poll(const std::function<void(const Ring::Record&)>& visit) {
  if (!readControl()) return false;
  const RingImage image({memory_.get(), bytes_}, content_.slots);
  if (!image.valid()) return false;
  skipTo(image.oldest());
  if (!readSlots(cursor_.position, image.head())) return false;
  // Slots that were claimed during the read may hold records of another lap.
  std::uint64_t head = 0;
  if (!file_->readAt(content_.ring_offset + offsetof(RingControl, head),
                     {reinterpret_cast<char*>(&head), sizeof head})) {
    return false;
  }
  if (head > content_.slots) {
    skipTo(std::min(head - content_.slots, image.head()));
  }
  // Slots before the first whole record were not complete at the first poll, so
  // they do not count as missed.
  const bool was_read = std::exchange(read_before_, true);
  drops_ = image.drops();
  while (cursor_.position < image.head()) {
    if (!image.isCommitted(cursor_.position)) {
      if (!resyncing_ && !isStuck()) break;
      // Skips all slots of the uncommitted record.
      resyncing_ = true;
      missed_slots_ += was_read;
      ++cursor_.position;
      continue;
    }
    resyncing_ = false;
    if (!image.next(cursor_, record_)) break;
    visit(record_);
  }
  return true;
}

}  // namespace traced
