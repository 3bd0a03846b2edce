// DefinitionTable stores the writer's definitions of one kind. It puts each one
// into every chunk that uses it, and drops those that can no longer be used.
// Owned by the writer thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ring_io/ring/record.h"

namespace traced {

template <typename Message>
class DefinitionTable {
 public:
  // Adds a definition. If another definition held the same cache entry, that
  // one is retired.
  void define(const DefinitionHead& head, Message message) {
    fresh_.push_back(head.id);
    known_[head.id] = {std::move(message), 0, kNever};
    put_[head.id % kRecentToKeep] = kNone;
    if (head.cache_entry == kUntilRetired) return;
    if (head.cache_entry == kNotCached) {
      retire(head.id);
      return;
    }
    const auto [holder, first] =
        holders_.try_emplace(head.cache_entry, head.id);
    const std::uint32_t before = std::exchange(holder->second, head.id);
    if (!first && before != head.id) retire(before);
  }

  // Marks the id as unused by operations issued from now on.
  void retire(std::uint32_t id) {
    retired_.push_back({id, chunk_, now_ns_});
    const auto found = known_.find(id);
    if (found != known_.end()) found->second.retired_in = chunk_;
  }

  // Returns the message on the first use in this chunk, otherwise nullptr.
  const Message* useInThisChunk(std::uint32_t id) {
    std::uint32_t& recent = put_[id % kRecentToKeep];
    if (recent == id) return nullptr;
    const auto found = known_.find(id);
    if (found == known_.end()) return nullptr;
    recent = id;
    if (found->second.put_in == chunk_) return nullptr;
    found->second.put_in = chunk_;
    return &found->second.message;
  }

  // Returns nullptr if the id is unknown or already dropped.
  const Message* find(std::uint32_t id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? nullptr : &found->second.message;
  }

  // Calls visit(message) for each definition that was not retired.
  template <typename Visit>
  void forEachInUse(Visit visit) const {
    for (const auto& [id, entry] : known_) {
      if (entry.retired_in == kNever) visit(entry.message);
    }
  }

  // Completes a chunk: calls `put` with each definition that is new since the
  // last chunk and unused by the rows of this one.
  template <typename Put>
  void putFresh(Put put) {
    for (const std::uint32_t id : fresh_) {
      if (const Message* message = useInThisChunk(id)) put(*message);
    }
  }

  // Starts the next chunk. `now_ns`: when the previous one ended, by the
  // monotonic clock.
  void nextChunk(std::int64_t now_ns) noexcept {
    now_ns_ = now_ns;
    fresh_.clear();
    put_.fill(kNone);
    forgetRetired();
    ++chunk_;
  }

  // Requests that all usable definitions are put again. putAgain() puts them
  // into this chunk and the following ones, as far as each has room.
  void repeat() {
    again_.clear();
    for (const auto& [id, entry] : known_) {
      if (entry.retired_in + kChunksToKeep > chunk_) again_.push_back(id);
    }
  }
  template <typename Put, typename HasRoom>
  void putAgain(Put put, HasRoom hasRoom) {
    while (!again_.empty() && hasRoom()) {
      const std::uint32_t id = again_.back();
      again_.pop_back();
      if (const Message* message = useInThisChunk(id)) put(*message);
    }
  }
  bool isRepeating() const { return !again_.empty(); }
  void stopRepeating() noexcept { again_.clear(); }

  std::size_t size() const { return known_.size(); }

 private:
  // A thread may use an id that it looked up before the id was retired. On a
  // busy machine it may be delayed for a while.
  // The table therefore keeps the latest kRetiredToKeep ids. It keeps all ids
  // for kChunksToKeep chunks. For kKeptForNs it keeps up to kMaxRetired, enough
  // for a program with a new definition per operation.
  static constexpr std::size_t kRetiredToKeep = 1024;
  static constexpr std::uint64_t kChunksToKeep = 2;
  static constexpr std::int64_t kKeptForNs = 5'000'000'000;
  static constexpr std::size_t kMaxRetired = 16384;
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 63;
  // Most rows use the same definitions as the rows just before.
  static constexpr std::size_t kRecentToKeep = 64;
  static constexpr std::uint32_t kNone = 0;  // not a valid id

  struct Retired {
    std::uint32_t id;
    std::uint64_t chunk;
    std::int64_t at_ns;
  };

  bool isTooLate(const Retired& retired) const noexcept {
    return retired.chunk + kChunksToKeep <= chunk_ &&
           (now_ns_ - retired.at_ns > kKeptForNs ||
            retired_.size() > kMaxRetired);
  }

  void forgetRetired() noexcept {
    while (retired_.size() > kRetiredToKeep && isTooLate(retired_.front())) {
      const Retired retired = retired_.front();
      retired_.pop_front();
      const auto found = known_.find(retired.id);
      // The id may have been defined again.
      if (found != known_.end() && found->second.retired_in == retired.chunk) {
        known_.erase(found);
      }
    }
  }

  struct Entry {
    Message message;
    // Chunk numbers; `put_in` is the last one.
    std::uint64_t put_in;
    std::uint64_t retired_in;
  };
  std::unordered_map<std::uint32_t, Entry> known_;
  std::unordered_map<std::uint32_t, std::uint32_t> holders_;
  // In the order of retirement.
  std::deque<Retired> retired_;
  std::vector<std::uint32_t> fresh_;
  std::vector<std::uint32_t> again_;
  // Recently used ids of this chunk, indexed by id % kRecentToKeep.
  std::array<std::uint32_t, kRecentToKeep> put_{};
  std::uint64_t chunk_ = 1;
  std::int64_t now_ns_ = 0;  // start of this chunk
};

}  // namespace traced
