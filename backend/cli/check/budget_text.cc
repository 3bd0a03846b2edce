#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/check/budget_file.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Returns a TOML basic string.
std::string tomlString(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else if (byte < 0x20 || byte == 0x7F) {
      absl::StrAppend(&out, absl::StrFormat("\\u%04X", int{byte}));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string rowText(const BudgetRow& row) {
  // TOML integers are signed. Larger figures cannot be written and are omitted.
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::string text = "\n[[budget]]\n";
  const auto add = [&text](const char* key, const std::string& value) {
    absl::StrAppend(&text, key, " = ", value, "\n");
  };
  if (row.group) add("group", tomlString(*row.group));
  if (row.op) add("op", tomlString(*row.op));
  if (row.dtype) add("dtype", tomlString(*row.dtype));
  if (row.ranks) add("ranks", tomlString(row.ranks_text));
  if (!row.per_step && !row.steps.all()) add("per", "\"range\"");
  if (!row.judged) add("judged", "false  # not equal in all runs");
  if (row.count && *row.count <= kMax) add("count", absl::StrCat(*row.count));
  if (row.bytes && *row.bytes <= kMax) {
    add("bytes", *row.bytes < 1024
                     ? absl::StrCat(*row.bytes)
                     : absl::StrCat(*row.bytes, "  # ", bytesText(*row.bytes)));
  }
  return text;
}

std::string structureText(const StructureRow& row) {
  std::string text = "\n[[structure]]\n";
  const auto add = [&text](const char* key, const std::string& value) {
    absl::StrAppend(&text, key, " = ", value, "\n");
  };
  add("group", tomlString(row.group));
  if (row.groups) add("groups", tomlString(*row.groups));
  if (row.ranks) add("ranks", tomlString(row.ranks_text));
  const GroupStructure& structure = row.structure;
  if (structure.order) {
    std::string order = "[\n";
    for (const std::string& calls : *structure.order) {
      absl::StrAppend(&order, "  ", tomlString(calls), ",\n");
    }
    add("order", order + "]");
  }
  if (structure.together) add("together", absl::StrCat(*structure.together));
  if (structure.waited_at_once) {
    add("waited_at_once", absl::StrCat(*structure.waited_at_once));
  }
  return text;
}

}  // namespace

std::string budgetText(const Budget& budget) {
  std::string text =
      "# What each rank may communicate; written by tracectl check "
      "--write-budget.\n"
      "# Edit it freely: docs/reference/cli/check.md of traced describes all "
      "keys.\n"
      "schema = 1\n";
  if (!budget.rows.empty() && !budget.rows[0].steps.all()) {
    absl::StrAppend(&text, "# Figures are per step and rank, with per = ",
                    "\"range\" per rank over all these steps.\nsteps = \"",
                    budget.rows[0].steps.text(), "\"\n");
  } else {
    absl::StrAppend(&text,
                    "# Figures are per rank, over the whole recording.\n");
  }
  for (const BudgetRow& row : budget.rows) absl::StrAppend(&text, rowText(row));
  for (const StructureRow& row : budget.structure) {
    absl::StrAppend(&text, structureText(row));
  }
  return text;
}

}  // namespace traced
