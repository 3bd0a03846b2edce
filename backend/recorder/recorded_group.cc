#include "recorder/recorded_group.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/ring.h"

namespace traced {
namespace {

// Half a chunk's definition room, so that the other definitions of its rows
// also fit.
constexpr std::size_t kMaxGroupBytes = ChunkBuilder::kDefinitionRoom / 2;

}  // namespace

RecordedGroup::RecordedGroup(Ring& ring, std::uint32_t id, std::uint32_t nth,
                             GroupInfo info)
    : id_(id),
      ring_(ring),
      nth_(nth),
      owner_(getpid()),
      info_(std::move(info)),
      message_(encode()) {
  define();
}

std::string RecordedGroup::encode() const {
  v1::Group group = encodeGroup(id_, info_, nth_);
  group.set_left_out(isLeftOut());
  group.set_leaves_out_messages(here_.load() != nullptr);
  // Only an irregular list of tens of thousands of ranks is this long. A group
  // without members is better than losing all its operations.
  const std::size_t most = std::min(ring_.maxPayload(), kMaxGroupBytes);
  if (group.ByteSizeLong() + kSlotBytes > most) {
    group.clear_member();
  }
  return group.SerializeAsString();
}

RecordedGroup::~RecordedGroup() {
  // Best effort: a group that is never retired only costs the writer memory.
  if (getpid() == owner_) {
    ring_.pushDefinition(RecordKind::kRetireGroup, {id_, kUntilRetired}, "", 0);
  }
  delete[] pairs_.load();
  delete[] here_.load();
}

void RecordedGroup::setLabels(const std::string& name,
                              const std::string& desc) {
  if (name == info_.name && desc == info_.desc) return;
  info_.name = name;
  info_.desc = desc;
  redefine();
}

void RecordedGroup::leaveOut() {
  if (!left_out_.exchange(true, std::memory_order_relaxed)) redefine();
}

void RecordedGroup::leaveOutMessages(const std::vector<bool>& here) {
  if (here.size() != info_.members.size()) return;
  auto* const flags = new Flag[here.size()];
  std::copy(here.begin(), here.end(), flags);
  const Flag* none = nullptr;
  if (here_.compare_exchange_strong(none, flags, std::memory_order_acq_rel)) {
    redefine();
  } else {
    delete[] flags;  // another thread was first
  }
}

void RecordedGroup::redefine() {
  {
    const std::lock_guard lock(message_mutex_);
    message_ = encode();
  }
  defined_.store(false, std::memory_order_relaxed);
  define();
}

bool RecordedGroup::define() noexcept {
  if (getpid() != owner_) return false;
  const std::lock_guard lock(message_mutex_);
  const bool stored =
      ring_.pushDefinition(RecordKind::kDefineGroup, {id_, kUntilRetired},
                           message_.data(), message_.size()) != Ring::kFull;
  if (stored) defined_.store(true, std::memory_order_relaxed);
  return stored;
}

RecordedGroup::Counters* RecordedGroup::pairCounters() noexcept {
  Counters* counters = pairs_.load(std::memory_order_acquire);
  if (counters) return counters;
  auto* fresh = new (std::nothrow) Counters[2 * info_.members.size()]();
  if (pairs_.compare_exchange_strong(counters, fresh,
                                     std::memory_order_acq_rel)) {
    return fresh;
  }
  delete[] fresh;  // another thread was first
  return counters;
}

std::uint64_t RecordedGroup::nextSend(std::int32_t peer) noexcept {
  Counters* counters = pairCounters();
  if (!counters || toGlobal(peer) < 0) return 0;
  return 1 + counters[peer].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t RecordedGroup::nextReceive(std::int32_t peer) noexcept {
  Counters* counters = pairCounters();
  if (!counters || toGlobal(peer) < 0) return 0;
  const std::size_t index =
      info_.members.size() + static_cast<std::size_t>(peer);
  return 1 + counters[index].fetch_add(1, std::memory_order_relaxed);
}

std::int32_t RecordedGroup::toGlobal(std::int32_t group_rank) const noexcept {
  const auto index = static_cast<std::size_t>(group_rank);
  if (group_rank < 0 || index >= info_.members.size()) return -1;
  return static_cast<std::int32_t>(info_.members[index]);
}

}  // namespace traced
