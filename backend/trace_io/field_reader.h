// FieldReader walks over the fields of a serialized message without parsing
// what they hold.

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
    // Of bytes and messages; absent for numbers.
    std::optional<std::string_view> content;
    // From its tag to its end.
    std::string_view whole;
  };

  // The message must stay.
  explicit FieldReader(std::string_view message)
      : message_(message),
        in_(reinterpret_cast<const std::uint8_t*>(message.data()),
            static_cast<int>(message.size())) {}

  bool atEnd() const {
    return in_.CurrentPosition() == static_cast<int>(message_.size());
  }

  // The next field. False when this is no field, or one that is of no use here.
  bool next(Field& field);

 private:
  std::string_view between(int begin, int end) const;
  bool skip(Field& field, std::uint32_t type);

  const std::string_view message_;
  google::protobuf::io::CodedInputStream in_;
};

}  // namespace traced
