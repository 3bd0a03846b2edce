// FieldReader iterates over the fields of a serialized message without parsing
// their content.

#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace traced {

class FieldReader {
 public:
  struct Field {
    int number = 0;
    // The content of a bytes or message field. Absent for numbers.
    std::optional<std::string_view> content;
    // The field's bytes, from its tag to its end.
    std::string_view whole;
  };

  // `message` must outlive the reader.
  explicit FieldReader(std::string_view message)
      : message_(message),
        in_(reinterpret_cast<const std::uint8_t*>(message.data()),
            static_cast<int>(message.size())) {}

  bool atEnd() const {
    return in_.CurrentPosition() == static_cast<int>(message_.size());
  }

  // Reads the next field. Returns false at the end, if the bytes are no valid
  // field, or if its wire type is unsupported. Check atEnd() first to
  // distinguish these.
  bool next(Field& field);

 private:
  std::string_view between(int begin, int end) const;
  bool skip(Field& field, std::uint32_t type);

  const std::string_view message_;
  google::protobuf::io::CodedInputStream in_;
};

}  // namespace traced
