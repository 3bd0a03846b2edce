// DefinitionTable is the writer's memory of one kind of definition: it puts
// each one into every chunk that uses it, and forgets those that can no longer
// be used. Owned by the writer thread.

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
  // `entry` is the cache entry that now holds the definition: whatever it held
  // before is used no more, once the operations under way are recorded.
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

  // The id is used by no operation issued from now on.
  void retire(std::uint32_t id) {
    retired_.push_back({id, chunk_, now_ns_});
    const auto found = known_.find(id);
    if (found != known_.end()) found->second.retired_in = chunk_;
  }

  // The message, the first time that this chunk uses it; else nullptr.
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

  // nullptr when it is not known, or no longer.
  const Message* find(std::uint32_t id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? nullptr : &found->second.message;
  }

  // Completes a chunk: `put` gets each definition that is new since the last
  // chunk and that no row of this one has used.
  template <typename Put>
  void putFresh(Put put) {
    for (const std::uint32_t id : fresh_) {
      if (const Message* message = useInThisChunk(id)) put(*message);
    }
  }

  // What follows belongs to another chunk, whatever became of this one, which
  // ended at this time of the monotonic clock.
  void nextChunk(std::int64_t now_ns) noexcept {
    now_ns_ = now_ns;
    fresh_.clear();
    put_.fill(kNone);
    forgetRetired();
    ++chunk_;
  }

  // All that is in use is to be put again, into this chunk and, as far as they
  // have room, in those behind it.
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
  // A thread may still be about to use an id that it looked up before the id
  // was retired, and on a busy machine it may not run for a while: so many of
  // the latest are kept, all for some chunks, and for some seconds as many as a
  // program retires that makes up a definition for each operation.
  static constexpr std::size_t kRetiredToKeep = 1024;
  static constexpr std::uint64_t kChunksToKeep = 2;
  static constexpr std::int64_t kKeptForNs = 5'000'000'000;
  static constexpr std::size_t kMaxRetired = 16384;
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 63;
  // Rows mostly name what rows before them have named.
  static constexpr std::size_t kRecentToKeep = 64;
  static constexpr std::uint32_t kNone = 0;  // is no id

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
      // It may have been defined anew.
      if (found != known_.end() && found->second.retired_in == retired.chunk) {
        known_.erase(found);
      }
    }
  }

  struct Entry {
    Message message;
    // Numbers of chunks.
    std::uint64_t put_in;  // the last
    std::uint64_t retired_in;
  };
  std::unordered_map<std::uint32_t, Entry> known_;
  std::unordered_map<std::uint32_t, std::uint32_t> holders_;
  // In their order.
  std::deque<Retired> retired_;
  std::vector<std::uint32_t> fresh_;
  std::vector<std::uint32_t> again_;
  // Ids that were put into this chunk, by their remainders.
  std::array<std::uint32_t, kRecentToKeep> put_{};
  std::uint64_t chunk_ = 1;
  std::int64_t now_ns_ = 0;  // when this chunk began
};

}  // namespace traced
