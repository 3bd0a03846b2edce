// LatestInstants knows of each operation of a payload which instant was told of
// it last: what the next one is told as a difference to. See trace.proto.

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

  // Begins with a payload of so many issue rows.
  void restart(std::int64_t anchor_ns, int issued);

  // The next issue row. Of rows with the same operation the first counts.
  void issue(std::uint64_t op, std::int64_t issue_ns) {
    if (size_ > 0 && entries_[size_ - 1].op >= op) {
      sorted_ = false;
      next_ = ~std::size_t{0};
    }
    if (size_ == entries_.size()) entries_.emplace_back();
    entries_[size_++] = {op, issue_ns};
  }

  // What was told last of the operation, to be set to what is told now. Of one
  // that was not issued in this payload it is the anchor, whatever is set.
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
  std::int64_t of_others_ = 0;
  // By operation, but for rows that are out of order until sort(). Those behind
  // the first `size_` are room for more.
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  bool sorted_ = true;
  // Behind the one found last: rows of one table tend to come in the order of
  // those of another. Nowhere until entries_ is in order.
  std::size_t next_ = 0;
};

}  // namespace traced
