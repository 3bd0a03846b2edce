// Sinks are the destinations of a process's chunks beside its file.
//
// What one of them does never affects another, nor the file: one that refuses a
// chunk or throws is warned of once, counted, and given the next chunk.
//
// Thread safety: append() from the writer thread, the others from any.

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
  // Gets the chunks from the next one on.
  void add(std::shared_ptr<Sink> sink);
  // A chunk under way may still reach it.
  void remove(const Sink& sink);

  bool any() const;

  void append(const std::string& chunk, std::uint64_t records) noexcept;

  // How many chunks a sink did not take; 0 for one that is not here.
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
