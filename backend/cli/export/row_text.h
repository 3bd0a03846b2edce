// RowText is text that rows of an export are put together in: most of it is
// short pieces, so that what a piece takes beside its bytes is what counts.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace traced {

class RowText {
 public:
  // So many bytes are there behind the text, to be written to.
  static constexpr std::size_t kRoom = 32;

  // Where the next byte goes.
  char* end() { return bytes_.data() + size_; }
  // What was written from end() on, kRoom at most, ends here.
  void endAt(const char* end) {
    size_ = static_cast<std::size_t>(end - bytes_.data());
    if (bytes_.size() - size_ < kRoom) grow(0);
  }

  void append(char c) {
    *end() = c;
    endAt(end() + 1);
  }
  void append(std::string_view piece) {
    if (bytes_.size() - size_ < piece.size() + kRoom) grow(piece.size());
    std::copy(piece.begin(), piece.end(), end());
    size_ += piece.size();
  }
  // A short piece is copied with the room behind it: that is no call.
  void append(const RowText& piece) {
    if (piece.size_ > kRoom) return append(piece.view());
    std::memcpy(end(), piece.bytes_.data(), kRoom);
    endAt(end() + piece.size_);
  }

  void replaceLast(char c) { bytes_[size_ - 1] = c; }
  void clear() { size_ = 0; }
  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  void grow(std::size_t bytes) { bytes_.resize(2 * (size_ + bytes + kRoom)); }

  std::vector<char> bytes_ = std::vector<char>(kRoom);
  std::size_t size_ = 0;
};

// Puts rows together before they are written: a stream takes long for each
// piece that it is given. `Text`: std::string, or RowText.
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
