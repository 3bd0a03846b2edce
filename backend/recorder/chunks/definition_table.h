// DefinitionTable is the writer's memory of one kind of definition: it says
// each one in every chunk that uses it, and forgets those that can no longer be
// used. Owned by the writer thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recorder/ring/record.h"

namespace traced {

template <typename Message>
class DefinitionTable {
 public:
  // `entry` is the cache entry that now holds the definition: whatever it held
  // before is used no more, once the operations under way are recorded.
  void define(const DefinitionHead& head, Message message) {
    fresh_.push_back(head.id);
    known_[head.id] = {std::move(message), 0, kNever};
    said_[head.id % kSaidToKeep] = kNone;
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
    retired_.emplace_back(id, chunk_);
    const auto found = known_.find(id);
    if (found != known_.end()) found->second.retired_in = chunk_;
  }

  // The message, the first time that this chunk uses it; else nullptr.
  const Message* useInThisChunk(std::uint32_t id) {
    std::uint32_t& said = said_[id % kSaidToKeep];
    if (said == id) return nullptr;
    const auto found = known_.find(id);
    if (found == known_.end()) return nullptr;
    said = id;
    if (found->second.said_in == chunk_) return nullptr;
    found->second.said_in = chunk_;
    return &found->second.message;
  }

  // nullptr when it is not known, or no longer.
  const Message* find(std::uint32_t id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? nullptr : &found->second.message;
  }

  // Completes a chunk: `say` gets each definition that is new since the last
  // chunk and that no row of this one has used.
  template <typename Say>
  void sayFresh(Say say) {
    for (const std::uint32_t id : fresh_) {
      if (const Message* message = useInThisChunk(id)) say(*message);
    }
  }

  // What follows belongs to another chunk, whatever became of this one.
  void nextChunk() noexcept {
    fresh_.clear();
    said_.fill(kNone);
    forgetRetired();
    ++chunk_;
  }

  // All that is in use is to be said again, in this chunk and, as far as they
  // have room, in those behind it.
  void repeat() {
    again_.clear();
    for (const auto& [id, entry] : known_) {
      if (entry.retired_in + kChunksToKeep > chunk_) again_.push_back(id);
    }
  }
  template <typename Say, typename HasRoom>
  void sayAgain(Say say, HasRoom hasRoom) {
    while (!again_.empty() && hasRoom()) {
      const std::uint32_t id = again_.back();
      again_.pop_back();
      if (const Message* message = useInThisChunk(id)) say(*message);
    }
  }
  bool isToSayAgain() const { return !again_.empty(); }
  void sayNoneAgain() noexcept { again_.clear(); }

  std::size_t size() const { return known_.size(); }

 private:
  // A thread may still be about to use an id that it looked up before the id
  // was retired, and on a busy machine it may not run for a while: so many of
  // the latest are kept, and all for some chunks. A program that makes up a
  // definition for each operation retires this many in some milliseconds.
  static constexpr std::size_t kRetiredToKeep = 16384;
  static constexpr std::uint64_t kChunksToKeep = 2;
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 63;
  // Rows mostly name what rows before them have named.
  static constexpr std::size_t kSaidToKeep = 64;
  static constexpr std::uint32_t kNone = 0;  // is no id

  void forgetRetired() noexcept {
    while (retired_.size() > kRetiredToKeep &&
           retired_.front().second + kChunksToKeep <= chunk_) {
      const auto [id, chunk] = retired_.front();
      retired_.pop_front();
      const auto found = known_.find(id);
      // It may have been defined anew.
      if (found != known_.end() && found->second.retired_in == chunk) {
        known_.erase(found);
      }
    }
  }

  struct Entry {
    Message message;
    // Numbers of chunks.
    std::uint64_t said_in;  // the last
    std::uint64_t retired_in;
  };
  std::unordered_map<std::uint32_t, Entry> known_;
  std::unordered_map<std::uint32_t, std::uint32_t> holders_;
  // Ids and the chunk that they were retired in, which ascends.
  std::deque<std::pair<std::uint32_t, std::uint64_t>> retired_;
  std::vector<std::uint32_t> fresh_;
  std::vector<std::uint32_t> again_;
  // Ids that were said in this chunk, by their remainders.
  std::array<std::uint32_t, kSaidToKeep> said_{};
  std::uint64_t chunk_ = 1;
};

}  // namespace traced
