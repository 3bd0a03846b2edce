// LineSplitter makes lines of blocks of a file. However long a line is, little
// more than `most` bytes of it are kept.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace traced {

class LineSplitter {
 public:
  // `take` is given each line without its newline; of one that is longer than
  // `most` its first bytes, one more than that.
  LineSplitter(std::size_t most, std::function<void(std::string_view)> take)
      : most_(most), take_(std::move(take)) {}

  void add(std::string_view block) {
    while (!block.empty()) {
      const std::size_t end = std::min(block.find('\n'), block.size());
      const std::string_view part = block.substr(0, end);
      if (end == block.size()) return keep(part);
      if (kept_.empty()) {
        take_(part.substr(0, most_ + 1));
      } else {
        keep(part);
        take_(kept_);
        kept_.clear();
      }
      block.remove_prefix(end + 1);
    }
  }
  // Of what no newline ends.
  void finish() {
    if (!kept_.empty()) take_(kept_);
    kept_.clear();
  }
  bool endsInNewline() const { return kept_.empty(); }

 private:
  void keep(std::string_view part) {
    kept_ += part.substr(0, most_ + 1 - std::min(most_ + 1, kept_.size()));
  }

  const std::size_t most_;
  const std::function<void(std::string_view)> take_;
  std::string kept_;
};

}  // namespace traced
