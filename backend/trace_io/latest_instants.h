// LatestInstants keeps the last recorded instant of each operation in a
// payload. The next instant of the operation is stored as a difference from it.
// See trace.proto.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced {

class LatestInstants {
 public:
  LatestInstants() = default;
  LatestInstants(std::int64_t anchor_ns, int issued) {
    restart(anchor_ns, issued);
  }

  // Clears the state for a payload with this many issue rows.
  void restart(std::int64_t anchor_ns, int issued);

  // Adds the next issue row. The first row of an operation counts.
  void issue(std::uint64_t op, std::int64_t issue_ns) {
    if (size_ > 0 && entries_[size_ - 1].op >= op) {
      sorted_ = false;
      next_ = ~std::size_t{0};
    }
    if (size_ == entries_.size()) entries_.emplace_back();
    entries_[size_++] = {op, issue_ns};
  }

  // Returns the last instant of the operation; the caller assigns the new one
  // to it.
  // If this payload did not issue the operation, returns a scratch value that
  // is reset to the anchor on each call.
  std::int64_t& of(std::uint64_t op) {
    if (next_ < size_ && entries_[next_].op == op) return entries_[next_++].ns;
    return search(op);
  }

 private:
  struct Entry {
    std::uint64_t op = 0;
    std::int64_t ns = 0;
  };

  std::int64_t& search(std::uint64_t op);
  void sort();

  std::int64_t anchor_ns_ = 0;
  std::int64_t scratch_ns_ = 0;
  // Sorted by operation, except that rows added out of order stay unsorted
  // until sort(). Entries beyond `size_` are spare capacity.
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  bool sorted_ = true;
  // Index after the entry found last: the rows of one table tend to follow the
  // order of another. Past the end until entries_ is sorted.
  std::size_t next_ = 0;
};

}  // namespace traced
