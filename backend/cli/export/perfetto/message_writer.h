// MessageWriter appends the fields of a protobuf message to a string. A trace
// has millions of small packets, which as message objects would take several
// times as long.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

class MessageWriter {
 public:
  void clear() { bytes_.clear(); }
  std::string_view bytes() const { return bytes_; }

  void add(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void addSigned(std::uint32_t field, std::int64_t value) {
    add(field, static_cast<std::uint64_t>(value));
  }
  void addFixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, 1);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>(value >> shift);
    }
  }
  void addDouble(std::uint32_t field, double value) {
    addFixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  // A string, or a message that is complete.
  void add(std::uint32_t field, std::string_view bytes) {
    tag(field, 2);
    varint(bytes.size());
    bytes_ += bytes;
  }
  void add(std::uint32_t field, const MessageWriter& message) {
    add(field, message.bytes());
  }
  // The fields of another message as well.
  void append(const MessageWriter& fields) { bytes_ += fields.bytes_; }

 private:
  void tag(std::uint32_t field, std::uint32_t wire_type) {
    varint(std::uint64_t{field} << 3 | wire_type);
  }
  void varint(std::uint64_t value) {
    char encoded[10];
    std::size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
      encoded[size++] = static_cast<char>(value | 0x80);
    }
    encoded[size++] = static_cast<char>(value);
    bytes_.append(encoded, size);
  }

  std::string bytes_;
};

}  // namespace traced
