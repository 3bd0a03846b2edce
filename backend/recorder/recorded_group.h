// RecordedGroup holds the trace id and the sequence numbers of a process group.
//
// Thread safety: any thread, except setLabels(), which must precede the group's
// use. Must not outlive its Recorder, which lives as long as the process.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ring_io/ring/group_info.h"

namespace traced {

class Ring;

class alignas(64) RecordedGroup {
 public:
  // Defines the group in the ring. If the ring is full, ensureDefined()
  // retries.
  RecordedGroup(Ring& ring, std::uint32_t id, std::uint32_t nth,
                GroupInfo info);
  ~RecordedGroup();
  RecordedGroup(const RecordedGroup&) = delete;
  RecordedGroup& operator=(const RecordedGroup&) = delete;

  std::uint32_t id() const { return id_; }
  // Group.nth of definitions.proto.
  std::uint32_t nth() const { return nth_; }
  const GroupInfo& info() const { return info_; }

  // Replaces the labels of the group.
  void setLabels(const std::string& name, const std::string& desc);

  // Stops recording the group's operations. Their sequence numbers still
  // advance.
  void leaveOut();
  bool isLeftOut() const noexcept {
    return left_out_.load(std::memory_order_relaxed);
  }

  // Stops recording messages to and from the members that `here` marks, those
  // on this node. Their sequence numbers still advance.
  void leaveOutMessages(const std::vector<bool>& here);
  // Returns whether a call is not recorded: a message to or from group rank
  // `peer`, or any other.
  static constexpr std::int32_t kNoPeer = -1;
  bool leavesOut(std::int32_t peer) const noexcept {
    if (isLeftOut()) [[unlikely]]
      return true;
    if (peer == kNoPeer) return false;
    const Flag* here = here_.load(std::memory_order_acquire);
    return here && toGlobal(peer) >= 0 && here[peer];
  }

  // Returns false while the ring has no room for the definition.
  bool ensureDefined() noexcept {
    return defined_.load(std::memory_order_relaxed) || define();
  }

  // Returns the next sequence number, starting at 1.
  std::uint64_t nextCollective() noexcept {
    return 1 + collectives_.fetch_add(1, std::memory_order_relaxed);
  }
  // Return the next sequence number, starting at 1, of messages from this rank
  // to group rank `peer`, or from it to this rank. Return 0 if the group has no
  // such rank, or if memory is short.
  std::uint64_t nextSend(std::int32_t peer) noexcept;
  std::uint64_t nextReceive(std::int32_t peer) noexcept;

  // Converts a group rank to a global rank. Returns -1 if it is not a rank of
  // the group.
  std::int32_t toGlobal(std::int32_t group_rank) const noexcept;

 private:
  using Counters = std::atomic<std::uint64_t>;
  using Flag = bool;

  std::string encode() const;
  void redefine();
  bool define() noexcept;
  // Returns the send counters followed by the receive counters. Allocates them
  // at first use.
  Counters* pairCounters() noexcept;

  // The fields that every call uses are first, in one cache line.
  std::atomic<std::uint64_t> collectives_{0};
  std::atomic<bool> defined_{false};
  std::atomic<bool> left_out_{false};
  const std::uint32_t id_;
  std::atomic<Counters*> pairs_{nullptr};
  std::atomic<const Flag*> here_{nullptr};  // by group rank
  Ring& ring_;
  const std::uint32_t nth_;
  // The process that owns the ring. A forked child must not write into it.
  const std::int64_t owner_;
  GroupInfo info_;
  std::mutex message_mutex_;
  std::string message_;  // the serialized definition
};

}  // namespace traced
