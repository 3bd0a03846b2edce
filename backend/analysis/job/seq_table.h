// SeqTable maps sequence numbers to values. Runs of consecutive numbers are
// stored in one vector each.

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace traced {

// Not thread safe.
template <typename T>
class SeqTable {
 public:
  // Returns the value of a number. Creates it if it does not exist. Ascending
  // access takes constant time.
  T& at(std::uint64_t seq) {
    if (last_ && seq - last_->first < last_->second.size()) {
      return last_->second[seq - last_->first];
    }
    return place(seq);
  }

  // Returns nullptr for a number without a value.
  const T* find(std::uint64_t seq) const {
    if (last_ && seq - last_->first < last_->second.size()) {
      return &last_->second[seq - last_->first];
    }
    const auto next = runs_.upper_bound(seq);
    if (next == runs_.begin()) return nullptr;
    const Run& run = *std::prev(next);
    const std::uint64_t index = seq - run.first;
    return index < run.second.size() ? &run.second[index] : nullptr;
  }

  bool empty() const { return runs_.empty(); }
  // Returns the smallest number. The table must not be empty.
  std::uint64_t first() const { return runs_.begin()->first; }

  // Calls visit(seq, value) in ascending order.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (const Run& run : runs_) {
      std::uint64_t seq = run.first;
      for (const T& value : run.second) visit(seq++, value);
    }
  }

 private:
  using Runs = std::map<std::uint64_t, std::vector<T>>;
  using Run = typename Runs::value_type;

  // Finds or creates a value in the general case.
  T& place(std::uint64_t seq) {
    const auto next = runs_.upper_bound(seq);
    if (next != runs_.begin()) {
      Run& run = *std::prev(next);
      const std::uint64_t index = seq - run.first;
      if (index <= run.second.size()) {
        last_ = &run;
        if (index == run.second.size()) run.second.emplace_back();
        return run.second[index];
      }
    }
    last_ = &*runs_.emplace_hint(next, seq, std::vector<T>(1));
    return last_->second.front();
  }

  // Runs by their first number, without overlap. Addresses of nodes are stable,
  // even if the table is moved.
  Runs runs_;
  Run* last_ = nullptr;
};

}  // namespace traced
