#include "cli/export/parquet/table_column.h"

#include <algorithm>
#include <cstring>

namespace traced {
namespace {

// Numbers begin where a processor reads them at once.
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
  switch (spec_.kind) {
    case ColumnKind::kNumber:
      return appendNumbers<std::int64_t>(data, values_);
    case ColumnKind::kText:
      return appendNumbers<std::int32_t>(data, values_);
    case ColumnKind::kFlag:
      return appendBits(data, rows(), [&](auto i) { return values_[i] == 1; });
  }
}

Json TableColumn::takeRows(std::string& data) {
  Json json;
  json["valid"] = appendValid(data);
  const std::size_t before = data.size();
  appendValues(data);
  json["values"] = data.size() - before;
  if (spec_.kind == ColumnKind::kText) json["texts"] = texts_;
  values_.clear();
  return json;
}

}  // namespace traced
