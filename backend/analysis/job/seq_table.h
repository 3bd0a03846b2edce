// SeqTable holds a value for each sequence number that is in use. Numbers
// mostly follow each other, so what follows each other lies together.

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
  // The value of a number, made when there is none. Numbers that are asked for
  // in ascending order are found at once.
  T& at(std::uint64_t seq) {
    if (last_ && seq - last_->first < last_->second.size()) {
      return last_->second[seq - last_->first];
    }
    return place(seq);
  }

  // nullptr for a number that has none.
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
  // The least number; only of a table that is not empty.
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

  // By the number of the first value; a run ends before the next begins. A
  // node stays where it is, whatever is added and wherever the table goes.
  Runs runs_;
  Run* last_ = nullptr;
};

}  // namespace traced
