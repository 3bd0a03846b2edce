#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/check/budget_file.h"
#include "cli/check/toml.h"
#include "cli/common/named_filters.h"

namespace traced {
namespace {

constexpr std::array<std::string_view, 5> kFileKeys = {
    "schema", "steps", "tolerance_percent", "budget", "structure"};
constexpr std::array<std::string_view, 7> kStructureKeys = {
    "steps", "group", "groups", "ranks", "order", "together", "waited_at_once"};
constexpr std::array<std::string_view, 11> kRowKeys = {
    "steps", "per",   "group", "op",      "dtype",
    "ranks", "count", "bytes", "at_most", "tolerance_percent",
    "judged"};

// Returns the line of a node in the file, counted from 1.
std::uint32_t lineOf(const toml::node& node) {
  return static_cast<std::uint32_t>(node.source().begin.line);
}

// Reads the values of one table and keeps the first error.
class Values {
 public:
  Values(const toml::table& table, std::string name)
      : table_(table), name_(std::move(name)) {}

  const std::optional<Error>& error() const { return error_; }
  // Records an error at this line of the file. Only the first one is kept.
  void fail(std::uint32_t line, const std::string& what) {
    if (!error_) error_ = Error{absl::StrCat(name_, ":", line, ": ", what)};
  }

  // Rejects unknown keys: a misspelt key would silently judge nothing.
  template <typename Keys>
  void refuseOthersThan(const Keys& keys, const char* where) {
    for (const auto& [key, node] : table_) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end())
        continue;
      fail(static_cast<std::uint32_t>(key.source().begin.line),
           absl::StrCat("\"", std::string(key.str()), "\" is no key of ",
                        where));
    }
  }

  std::optional<std::string> text(std::string_view key) {
    return get<std::string>(key, "a text in quotes");
  }
  std::optional<bool> flag(std::string_view key) {
    return get<bool>(key, "true or false");
  }
  std::optional<std::uint64_t> figure(std::string_view key) {
    constexpr char kWanted[] = "a whole number, 0 or more";
    const auto value = get<std::int64_t>(key, kWanted);
    if (!value) return std::nullopt;
    if (*value < 0) failAt(key, kWanted);
    return static_cast<std::uint64_t>(*value);
  }
  // Returns a finite number of at least 0. Absent if the key is missing or
  // invalid.
  std::optional<double> percent(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (!node) return std::nullopt;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (value && std::isfinite(*value) && *value >= 0) return value;
    failAt(key, "a number, 0 or more");
    return std::nullopt;
  }
  std::optional<StepRange> steps() {
    const auto written = text("steps");
    if (!written) return std::nullopt;
    const Result<StepRange> range = StepRange::parse(*written);
    if (range) return *range;
    fail(lineOf(*table_.get("steps")), range.error().message);
    return std::nullopt;
  }

  std::optional<std::vector<std::string>> texts(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (!node) return std::nullopt;
    std::vector<std::string> texts;
    const toml::array* array = node->as_array();
    if (array) {
      for (const toml::node& each : *array) {
        if (const auto text = each.value<std::string>()) texts.push_back(*text);
      }
    }
    if (!array || texts.size() != array->size()) {
      failAt(key, "texts in brackets");
    }
    return texts;
  }

  void failAt(std::string_view key, const char* wanted) {
    fail(lineOf(*table_.get(key)),
         absl::StrCat(std::string(key), " must be ", wanted));
  }

 private:
  template <typename T>
  std::optional<T> get(std::string_view key, const char* wanted) {
    const toml::node* node = table_.get(key);
    if (!node) return std::nullopt;
    const auto* value = node->as<T>();
    if (!value) {
      failAt(key, wanted);
      return std::nullopt;
    }
    return value->get();
  }

  const toml::table& table_;
  const std::string name_;
  std::optional<Error> error_;
};

// Values of the file that rows inherit.
struct Defaults {
  StepRange steps;
  double tolerance_percent = 0;
};

template <typename Row>
void takeRanks(Row& row, Values& values, const toml::table& table) {
  const auto written = values.text("ranks");
  if (!written || *written == "all") return;
  auto ranks = parseRanks(*written);
  if (!ranks) {
    return values.fail(lineOf(*table.get("ranks")), ranks.error().message);
  }
  row.ranks = std::move(*ranks);
  row.ranks_text = *written;
}

// Reads "per" into `row.per_step`. The default is per step unless the row
// covers all steps. Requires `row.steps`.
void takePer(BudgetRow& row, Values& values) {
  row.per_step = !row.steps.all();
  const auto per = values.text("per");
  if (!per) return;
  if (*per != "step" && *per != "range") {
    values.failAt("per", "\"step\" or \"range\"");
  } else if (*per == "step" && row.steps.all()) {
    values.failAt("per", "\"range\" where steps are \"all\"");
  }
  row.per_step = *per == "step";
}

Result<BudgetRow> parseRow(const toml::table& table, const Defaults& defaults,
                           const std::string& name) {
  Values values(table, name);
  values.refuseOthersThan(kRowKeys, "a budget row");
  BudgetRow row;
  row.line = lineOf(table);
  row.steps = values.steps().value_or(defaults.steps);
  takePer(row, values);
  row.group = values.text("group");
  row.op = values.text("op");
  row.dtype = values.text("dtype");
  takeRanks(row, values, table);
  row.count = values.figure("count");
  row.bytes = values.figure("bytes");
  row.at_most = values.flag("at_most").value_or(false);
  row.tolerance_percent =
      values.percent("tolerance_percent").value_or(defaults.tolerance_percent);
  row.judged = values.flag("judged").value_or(true);
  if (row.judged && !row.count && !row.bytes) {
    values.fail(row.line, "a budget row needs a count or bytes");
  }
  if (values.error()) return *values.error();
  return row;
}

Result<StructureRow> parseStructure(const toml::table& table,
                                    const Defaults& defaults,
                                    const std::string& name) {
  Values values(table, name);
  values.refuseOthersThan(kStructureKeys, "a row of structure");
  StructureRow row;
  row.line = lineOf(table);
  row.steps = values.steps().value_or(defaults.steps);
  const auto group = values.text("group");
  if (!group) values.fail(row.line, "a row of structure needs a group");
  row.group = group.value_or("");
  row.groups = values.text("groups");
  takeRanks(row, values, table);
  row.structure.order = values.texts("order");
  row.structure.together = values.figure("together");
  row.structure.waited_at_once = values.figure("waited_at_once");
  if (row.steps.all() && row.structure != GroupStructure()) {
    values.fail(row.line, "a row of structure is about steps: name them");
  }
  if (values.error()) return *values.error();
  return row;
}

// Calls take(row) for each table of an array of tables.
template <typename Take>
std::optional<Error> eachTable(const toml::table& file, std::string_view key,
                               const std::string& name, Take&& take) {
  const toml::node* rows = file.get(key);
  if (!rows) return std::nullopt;
  const auto wrong = [&](const toml::node& node) {
    return Error{absl::StrCat(name, ":", lineOf(node), ": write rows as [[",
                              std::string(key), "]]")};
  };
  const toml::array* array = rows->as_array();
  if (!array) return wrong(*rows);
  for (const toml::node& node : *array) {
    const toml::table* table = node.as_table();
    if (!table) return wrong(node);
    if (std::optional<Error> error = take(*table)) return error;
  }
  return std::nullopt;
}

Result<Budget> parseRows(const toml::table& file, const Defaults& defaults,
                         const std::string& name) {
  Budget budget;
  auto error = eachTable(file, "budget", name,
                         [&](const toml::table& table) -> std::optional<Error> {
                           Result<BudgetRow> row =
                               parseRow(table, defaults, name);
                           if (!row) return row.error();
                           budget.rows.push_back(std::move(*row));
                           return std::nullopt;
                         });
  if (error) return *error;
  error = eachTable(file, "structure", name,
                    [&](const toml::table& table) -> std::optional<Error> {
                      Result<StructureRow> row =
                          parseStructure(table, defaults, name);
                      if (!row) return row.error();
                      budget.structure.push_back(std::move(*row));
                      return std::nullopt;
                    });
  if (error) return *error;
  return budget;
}

}  // namespace

Result<Budget> parseBudget(const std::string& text, const std::string& name) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return Error{absl::StrCat(name, ":", error.source().begin.line, ": ",
                              std::string(error.description()))};
  }
  const toml::table& file = parsed.table();
  Values values(file, name);
  values.refuseOthersThan(kFileKeys, "a budget");
  if (values.figure("schema").value_or(1) != 1) {
    values.failAt("schema", "1: a newer tracectl wrote this budget");
  }
  Defaults defaults;
  defaults.steps = values.steps().value_or(StepRange());
  defaults.tolerance_percent = values.percent("tolerance_percent").value_or(0);
  if (values.error()) return *values.error();
  return parseRows(file, defaults, name);
}

Result<Budget> readBudget(const std::string& path) {
  constexpr std::streamsize kMaxBytes = 16 << 20;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  // Reading a pipe could block forever.
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status)) {
    return Error{absl::StrCat(path, ": is not a regular file")};
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(kMaxBytes) + 1, '\0');
  in.read(text.data(), kMaxBytes + 1);
  if (in.bad() || !in.eof()) {
    return Error{
        absl::StrCat(path, ": cannot be read",
                     in.gcount() > kMaxBytes ? ", it is too long" : "")};
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return parseBudget(text, path);
}

}  // namespace traced
