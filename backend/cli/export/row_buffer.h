// RowBuffer puts rows together before they are written: a stream takes long for
// each piece that it is given.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace traced {

// `Text`: std::string, or RowText.
template <typename Text>
class BasicRowBuffer {
 public:
  // Rows are appended to it.
  Text& text() { return text_; }

  // Ends a row, and writes the rows so far when there is enough of them.
  void endRow(std::ostream& out) {
    if (text_.size() >= kWrittenBytes) write(out);
  }
  void write(std::ostream& out) {
    out.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  static constexpr std::size_t kWrittenBytes = std::size_t{1} << 16;

  Text text_;
};

using RowBuffer = BasicRowBuffer<std::string>;

}  // namespace traced
