// RowText is a text buffer for rows of an export. Most pieces are a few bytes
// long, so it minimizes the overhead per piece.

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
  // Number of writable bytes that always follow the text.
  static constexpr std::size_t kRoom = 32;

  // Returns the position of the next byte. At most kRoom bytes may be written
  // from there before endAt().
  char* end() { return bytes_.data() + size_; }
  // Makes `end` the end of the text. It must be at most kRoom bytes after
  // end().
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
  // Appends `piece`. A short piece is copied together with the bytes that
  // follow it: a copy of constant size needs no call of memcpy.
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

// Collects rows and writes them in large blocks, because each write to a stream
// is slow. `Text` is std::string or RowText.
template <typename Text>
class BasicRowBuffer {
 public:
  // Returns the text to which callers append their rows.
  Text& text() { return text_; }

  // Ends a row. Writes the collected rows once they exceed kWrittenBytes.
  void endRow(std::ostream& out) {
    if (text_.size() >= kWrittenBytes) write(out);
  }
  // Writes all collected rows and empties the buffer. Call it after the last
  // row; the destructor writes nothing. Failures show in the state of `out`.
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
