#include "trace_io/packed_rows.h"

#include <cstring>

#include "trace_io/field_reader.h"

namespace traced {
namespace {

// Reads the columns of a table. Returns false unless all columns are known and
// each appears at most once.
template <typename Table>
bool readTable(std::string_view message, Table& table) {
  FieldReader fields(message);
  FieldReader::Field field;
  std::uint32_t seen = 0;
  while (!fields.atEnd()) {
    if (!fields.next(field) || !field.content) return false;
    bool assigned = false;
    detail::forEachColumn(table, [&](int number, auto& column) {
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
  // A varint of 11 bytes has 4 continuation bytes in a row within one half of
  // some word.
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
  constexpr int kMaxBytes = 10;
  int length = 0;
  for (std::size_t j = 0; j < bytes.size(); ++j) {
    if (++length > kMaxBytes) return -1;
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
    // Checks eight one-byte entries at once. In zigzag encoding, odd means
    // negative and 0 means zero.
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

void PackedRows::compareTables() {
  using OpColumn = PackedColumn<std::int64_t>;
  const OpColumn& issues = columns_.of<IssueRow>().first();
  const std::string_view issued = issues.bytes();
  const auto isInStep = [issued](const OpColumn& op_delta) {
    return op_delta.empty() || op_delta.bytes() == issued;
  };
  const auto ascends = [](const OpColumn& op_delta) {
    return allPositive(op_delta.bytes());
  };
  const auto all = [this](const auto& holds) {
    bool all_hold = holds(columns_.of<IssueRow>().first());
    forEachType(LaterRows(), [&]<typename Row>() {
      all_hold = all_hold && holds(columns_.of<Row>().first());
    });
    return all_hold;
  };
  in_step_ = all(isInStep) && ascends(issues);
  ascending_ = in_step_ || all(ascends);
}

bool PackedRows::split(std::string_view payload, std::string& rest) {
  columns_ = {};
  rest.clear();
  FieldReader fields(payload);
  FieldReader::Field field;
  std::uint32_t seen = 0;
  while (!fields.atEnd()) {
    if (!fields.next(field)) return false;
    bool is_table = false;
    bool is_sound = true;
    detail::forEachTable(columns_, [&](int number, auto& table) {
      if (number != field.number) return;
      is_table = true;
      const std::uint32_t bit = std::uint32_t{1} << number;
      is_sound =
          !(seen & bit) && field.content && readTable(*field.content, table);
      seen |= bit;
    });
    if (!is_sound) return false;
    const bool is_header = field.number == v1::Payload::kHeaderFieldNumber &&
                           field.content.has_value();
    if (!is_table && !is_header) rest.append(field.whole);
  }
  compareTables();
  agree_ = detail::columnsAgree(columns_);
  count_ = detail::countRows(columns_);
  return true;
}

}  // namespace traced
