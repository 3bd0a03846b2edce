#include "trace_io/field_reader.h"

namespace traced {
namespace {

enum FieldType {
  kVarintField = 0,
  kFixed64Field = 1,
  kBytesField = 2,
  kFixed32Field = 5
};

}  // namespace

bool FieldReader::next(Field& field) {
  const int begin = in_.CurrentPosition();
  const std::uint32_t tag = in_.ReadTag();
  field = {static_cast<int>(tag >> 3), std::nullopt, {}};
  if (field.number == 0 || !skip(field, tag & 7)) return false;
  field.whole = between(begin, in_.CurrentPosition());
  return true;
}

std::string_view FieldReader::between(int begin, int end) const {
  return message_.substr(static_cast<std::size_t>(begin),
                         static_cast<std::size_t>(end - begin));
}

bool FieldReader::skip(Field& field, std::uint32_t type) {
  std::uint64_t ignored = 0;
  switch (type) {
    case kVarintField:
      return in_.ReadVarint64(&ignored);
    case kFixed64Field:
      return in_.Skip(8);
    case kFixed32Field:
      return in_.Skip(4);
    case kBytesField:
      break;
    default:
      return false;
  }
  std::uint32_t length = 0;
  if (!in_.ReadVarint32(&length)) return false;
  const int begin = in_.CurrentPosition();
  if (length > message_.size() - static_cast<std::size_t>(begin)) return false;
  const int end = begin + static_cast<int>(length);
  field.content = between(begin, end);
  return in_.Skip(static_cast<int>(length));
}

}  // namespace traced
