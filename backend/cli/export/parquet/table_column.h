// TableColumn is one column of a table, as far as its rows are in memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/common/json.h"

namespace traced {

enum class ColumnKind : std::uint8_t {
  kNumber,
  kFlag,
  kText,
};

struct TableColumnSpec {
  const char* name;
  ColumnKind kind = ColumnKind::kNumber;
  // Of a number: rows mostly have one of few, else they are counted on from the
  // row before.
  bool repeats = false;
};

// What is absent; no number of a trace that a table can hold is as low.
inline constexpr std::int64_t kNoValue =
    std::numeric_limits<std::int64_t>::min();

class TableColumn {
 public:
  explicit TableColumn(const TableColumnSpec& spec) : spec_(spec) {}

  const TableColumnSpec& spec() const { return spec_; }
  std::size_t rows() const { return values_.size(); }

  // A number, 0 or 1 of a flag, or a text by its number; or kNoValue.
  void add(std::int64_t value) { values_.push_back(value); }
  void addCount(std::uint64_t count) { add(fitting(count)); }
  void addIf(const std::optional<std::uint64_t>& count) {
    add(count ? fitting(*count) : kNoValue);
  }
  void addFlag(bool flag) { add(flag ? 1 : 0); }
  // "" is absent.
  void addText(const std::string& text) {
    add(text.empty() ? kNoValue : numberOf(text));
  }

  // The number of a text, which it keeps as long as there is the column.
  std::int64_t numberOf(const std::string& text);

  // Tables have signed numbers, as some readers know no others: what is too
  // large for them is absent.
  static std::int64_t fitting(std::uint64_t count) {
    return count > std::numeric_limits<std::int64_t>::max()
               ? kNoValue
               : static_cast<std::int64_t>(count);
  }

  // Appends the rows to `data` and forgets them. Says how they are there.
  Json takeRows(std::string& data);

 private:
  std::size_t appendValid(std::string& data) const;
  void appendValues(std::string& data) const;

  TableColumnSpec spec_;
  std::vector<std::int64_t> values_;
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, std::int64_t> number_of_;
};

}  // namespace traced
