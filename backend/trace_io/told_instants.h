// ToldInstants knows of each operation of a payload which instant was told of
// it last: what the next one is told as a difference to. See rows.proto.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traced {

class ToldInstants {
 public:
  // For a payload with that many issue rows.
  ToldInstants(std::int64_t anchor_ns, int issued);

  // The next issue row. Of rows with the same operation the first counts.
  void issue(std::uint64_t op, std::int64_t issue_ns);

  // What was told last of the operation, to be set to what is told now. Of one
  // that was not issued in this payload it is the anchor, whatever is set.
  std::int64_t& of(std::uint64_t op) {
    if (hint_ < told_.size() && told_[hint_].op == op) return told_[hint_].ns;
    return search(op);
  }

 private:
  struct Told {
    std::uint64_t op;
    std::int64_t ns;
  };

  std::int64_t& search(std::uint64_t op);
  void sort();

  const std::int64_t anchor_ns_;
  std::int64_t of_others_;
  // By operation, but for rows that are out of order until sort().
  std::vector<Told> told_;
  bool sorted_ = true;
  // Where the last one was found: rows of one table tend to come in the order
  // of those of another. Nowhere until told_ is in order.
  std::size_t hint_ = 0;
};

}  // namespace traced
