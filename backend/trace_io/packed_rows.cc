#include "trace_io/packed_rows.h"

#include <google/protobuf/io/coded_stream.h>

#include <cstring>
#include <optional>

namespace traced {
namespace {

using google::protobuf::io::CodedInputStream;

enum FieldType {
  kVarintField = 0,
  kFixed64Field = 1,
  kBytesField = 2,
  kFixed32Field = 5
};

// A field of a serialized message.
struct Field {
  int number = 0;
  // Of bytes and messages; absent for numbers.
  std::optional<std::string_view> content;
  // From its tag to its end.
  std::string_view whole;
};

// The fields of a message, one after the other.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message)
      : message_(message),
        in_(reinterpret_cast<const std::uint8_t*>(message.data()),
            static_cast<int>(message.size())) {}

  bool atEnd() const { return in_.CurrentPosition() == size(); }

  // False when this is no field, or one that is of no use here.
  bool next(Field& field) {
    const int begin = in_.CurrentPosition();
    const std::uint32_t tag = in_.ReadTag();
    field = {static_cast<int>(tag >> 3), std::nullopt, {}};
    if (field.number == 0 || !skip(field, tag & 7)) return false;
    field.whole = between(begin, in_.CurrentPosition());
    return true;
  }

 private:
  int size() const { return static_cast<int>(message_.size()); }

  std::string_view between(int begin, int end) const {
    return message_.substr(static_cast<std::size_t>(begin),
                           static_cast<std::size_t>(end - begin));
  }

  bool skip(Field& field, std::uint32_t type) {
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
    if (length > message_.size() - static_cast<std::size_t>(begin)) {
      return false;
    }
    const int end = begin + static_cast<int>(length);
    field.content = between(begin, end);
    return in_.Skip(static_cast<int>(length));
  }

  const std::string_view message_;
  CodedInputStream in_;
};

// Whether the table has known columns only, and each at most once.
template <typename Table>
bool readTable(std::string_view message, Table& table) {
  FieldReader fields(message);
  Field field;
  std::uint32_t seen = 0;
  while (!fields.atEnd()) {
    if (!fields.next(field) || !field.content) return false;
    bool assigned = false;
    table.forEach([&](int number, auto& column) {
      if (number != field.number || (seen >> number & 1)) return;
      assigned = column.assign(*field.content);
      seen |= std::uint32_t{1} << number;
    });
    if (!assigned) return false;
  }
  return true;
}

}  // namespace

int countVarints(std::string_view bytes) {
  constexpr std::uint64_t kMore = 0x8080808080808080;
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  if (bytes.empty()) return 0;
  const auto isLast = [&](std::size_t i) {
    return static_cast<std::uint8_t>(bytes[i]) < 0x80;
  };
  if (!isLast(bytes.size() - 1)) return -1;
  int count = 0;
  // One of 11 bytes has 4 bytes in a row, of either half of a word, that are
  // not its last.
  bool any_long = false;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    const std::uint64_t lasts = ~word & kMore;
    count += static_cast<int>(((lasts >> 7) * kOnes) >> 56);
    any_long |= (lasts >> 32) == 0 || (lasts << 32) == 0;
  }
  for (; i < bytes.size(); ++i) count += isLast(i);
  if (!any_long) return count;
  constexpr int kMostBytes = 10;
  int length = 0;
  for (std::size_t j = 0; j < bytes.size(); ++j) {
    if (++length > kMostBytes) return -1;
    if (isLast(j)) length = 0;
  }
  return count;
}

bool allPositive(std::string_view varints) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kMore = kOnes << 7;
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  const char* at = varints.data();
  const char* const end = at + varints.size();
  std::int64_t sum = 0;
  while (at < end) {
    // Eight of one byte at once: none of them is odd, which is below 0, or 0.
    std::uint64_t word = kMore;
    if (end - at >= 8) std::memcpy(&word, at, sizeof word);
    if ((word & kMore) == 0) {
      if ((word & kOnes) != 0 || ((word - kOnes) & kMore) != 0) return false;
      at += 8;
      continue;
    }
    const std::int64_t value = unzigzag(takeVarint(at));
    if (value <= 0 || value > kFar - sum) return false;
    sum += value;
  }
  return true;
}

bool PackedRows::split(std::string_view payload, std::string& rest) {
  columns_ = {};
  rest.clear();
  FieldReader fields(payload);
  Field field;
  std::uint32_t seen = 0;
  while (!fields.atEnd()) {
    if (!fields.next(field)) return false;
    bool is_table = false;
    bool is_sound = true;
    columns_.forEach([&](int number, auto& table) {
      if (number != field.number) return;
      is_table = true;
      const std::uint32_t bit = std::uint32_t{1} << number;
      is_sound =
          !(seen & bit) && field.content && readTable(*field.content, table);
      seen |= bit;
    });
    if (!is_sound) return false;
    if (!is_table) rest.append(field.whole);
  }
  const auto ascends = [](const PackedColumn<std::int64_t>& op_delta) {
    return allPositive(op_delta.bytes());
  };
  ascending_ =
      ascends(columns_.issued.op_delta) &&
      ascends(columns_.returned.op_delta) && ascends(columns_.done.op_delta) &&
      ascends(columns_.waited.op_delta) && ascends(columns_.released.op_delta);
  agree_ = detail::columnsAgree(columns_);
  count_ = detail::countRows(columns_);
  return true;
}

}  // namespace traced
