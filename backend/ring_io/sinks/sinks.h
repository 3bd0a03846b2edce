// Sinks holds the destinations of a process's chunks besides its file.
//
// Sinks are independent of each other and of the file. If one refuses a chunk
// or throws, Sinks warns once, counts the chunk, and offers the next one.
//
// Thread safety: the writer thread calls append(); any thread may call the
// others.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ring_io/sinks/sink.h"

namespace traced {

class Sinks {
 public:
  // Adds a sink, which receives all later chunks.
  void add(std::shared_ptr<Sink> sink);
  // Removes a sink. A chunk in progress may still reach it.
  void remove(const Sink& sink);

  bool any() const;

  void append(const std::string& chunk, std::uint64_t records) noexcept;

  // Returns how many chunks the sink refused, or 0 if the sink is unknown.
  std::uint64_t refused(const Sink& sink) const;

 private:
  struct Member {
    std::shared_ptr<Sink> sink;
    std::uint64_t refused = 0;
  };
  std::vector<std::shared_ptr<Sink>> all() const;
  bool countRefusal(const Sink& sink);

  mutable std::mutex mutex_;
  std::vector<Member> members_;
};

}  // namespace traced
