#include "cli/export/tables/table_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace traced {
namespace {

// Aligns numbers to 8 bytes, so that readers can use them in place.
void padTo8(std::string& data) {
  constexpr std::size_t kAligned = 8;
  data.append((kAligned - data.size() % kAligned) % kAligned, '\0');
}

// Appends a bit per row, the first row in the lowest bit.
template <typename IsSet>
void appendBits(std::string& data, std::size_t rows, IsSet is_set) {
  constexpr std::size_t kBits = 8;
  for (std::size_t from = 0; from < rows; from += kBits) {
    unsigned byte = 0;
    for (std::size_t i = from; i < std::min(rows, from + kBits); ++i) {
      byte |= unsigned{is_set(i)} << (i - from);
    }
    data.push_back(static_cast<char>(byte));
  }
  padTo8(data);
}

template <typename T>
void appendNumbers(std::string& data, const std::vector<std::int64_t>& values) {
  std::size_t at = data.size();
  data.resize(at + values.size() * sizeof(T));
  for (const std::int64_t value : values) {
    const T number = value == kNoValue ? T{} : static_cast<T>(value);
    std::memcpy(&data[at], &number, sizeof number);
    at += sizeof number;
  }
  padTo8(data);
}

}  // namespace

std::int64_t TableColumn::numberOf(const std::string& text) {
  const auto [found, is_new] =
      number_of_.try_emplace(text, static_cast<std::int64_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return found->second;
}

std::int64_t TableColumn::stored(const CellValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return numberOf(*text);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) {
    return fitting(*count);
  }
  // Adding 0 makes a negative zero positive, whose bits are not kNoValue.
  if (const auto* real = std::get_if<double>(&value)) {
    return std::bit_cast<std::int64_t>(*real + 0.0);
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  return number ? *number : kNoValue;
}

CellValue TableColumn::cell(std::size_t row) const {
  const std::int64_t value = values_[row];
  if (value == kNoValue) return {};
  switch (info_.kind) {
    case ColumnKind::kText:
      return texts_[static_cast<std::size_t>(value)];
    case ColumnKind::kFlag:
      return value == 1;
    case ColumnKind::kReal:
      return std::bit_cast<double>(value);
    case ColumnKind::kId:
      return absl::StrFormat("%016x", static_cast<std::uint64_t>(value));
    default:
      return value;
  }
}

std::size_t TableColumn::appendValid(std::string& data) const {
  const std::size_t before = data.size();
  const bool all =
      std::find(values_.begin(), values_.end(), kNoValue) == values_.end();
  if (!all) {
    appendBits(data, rows(), [&](auto i) { return values_[i] != kNoValue; });
  }
  return data.size() - before;
}

void TableColumn::appendValues(std::string& data) const {
  switch (info_.kind) {
    case ColumnKind::kText:
      return appendNumbers<std::int32_t>(data, values_);
    case ColumnKind::kFlag:
      return appendBits(data, rows(), [&](auto i) { return values_[i] == 1; });
    default:
      return appendNumbers<std::int64_t>(data, values_);
  }
}

Json TableColumn::pack(std::string& data) const {
  Json json;
  json["valid"] = appendValid(data);
  const std::size_t before = data.size();
  appendValues(data);
  json["values"] = data.size() - before;
  if (info_.kind == ColumnKind::kText) json["texts"] = texts_;
  return json;
}

TableFile::TableFile(const TableFolder& folder, const TableSpec& spec,
                     std::size_t number)
    : output_(folder.output),
      number_(output_.begin(
          spec, absl::StrCat(spec.name, "/", folder.partition,
                             absl::StrFormat("/part-%05d.parquet", number)))) {
  for (const ColumnInfo* column : spec.columns) columns_.emplace_back(*column);
}

void TableFile::sendRows() {
  output_.add(number_, columns_);
  for (TableColumn& column : columns_) column.clear();
}

void TableFile::finish() {
  // Even a file without rows declares its columns.
  if (columns_.front().rows() > 0) sendRows();
  output_.end(number_);
}

}  // namespace traced
