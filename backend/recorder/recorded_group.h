// RecordedGroup is a process group as the recorder knows it: its id in the
// trace and its sequence numbers.
//
// Thread safety: any thread, but setLabels before the group is used. Must not
// outlive its Recorder (which lives as long as the process).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "ring_io/ring/group_info.h"

namespace traced {

class Ring;

class alignas(64) RecordedGroup {
 public:
  // Defines the group in the ring, or later if the ring is full now.
  RecordedGroup(Ring& ring, std::uint32_t id, std::uint32_t nth,
                GroupInfo info);
  ~RecordedGroup();
  RecordedGroup(const RecordedGroup&) = delete;
  RecordedGroup& operator=(const RecordedGroup&) = delete;

  std::uint32_t id() const { return id_; }
  const GroupInfo& info() const { return info_; }

  // New labels for the same group.
  void setLabels(const std::string& name, const std::string& desc);

  // From now on its operations are not recorded; their numbers are drawn.
  void leaveOut();
  bool isLeftOut() const noexcept {
    return left_out_.load(std::memory_order_relaxed);
  }

  // False while the ring has had no room for the definition.
  bool ensureDefined() noexcept {
    return defined_.load(std::memory_order_relaxed) || define();
  }

  // The next sequence number, from 1.
  std::uint64_t nextCollective() noexcept {
    return 1 + collectives_.fetch_add(1, std::memory_order_relaxed);
  }
  // Of the ordered pair (this rank, peer) and (peer, this rank). 0 if `peer` is
  // no rank of the group.
  std::uint64_t nextSend(std::int32_t peer) noexcept;
  std::uint64_t nextReceive(std::int32_t peer) noexcept;

  // Group rank to global rank; -1 if it is no rank of the group.
  std::int32_t toGlobal(std::int32_t group_rank) const noexcept;

 private:
  using Counters = std::atomic<std::uint64_t>;

  std::string encode() const;
  void redefine();
  bool define() noexcept;
  // Sends first, then receives; made at the first use.
  Counters* pairCounters() noexcept;

  // First what every call needs, together.
  std::atomic<std::uint64_t> collectives_{0};
  std::atomic<bool> defined_{false};
  std::atomic<bool> left_out_{false};
  const std::uint32_t id_;
  std::atomic<Counters*> pairs_{nullptr};
  Ring& ring_;
  const std::uint32_t nth_;
  // The process whose ring it is; a forked child must not write into it.
  const std::int64_t owner_;
  GroupInfo info_;
  std::mutex message_mutex_;
  std::string message_;  // the serialized definition
};

}  // namespace traced
