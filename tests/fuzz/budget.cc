// Input: a budget. It is parsed, or refused in one sentence.

#include "cli/check/budget_file.h"
#include "fuzz/target.h"

using traced::testing::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto budget = traced::parseBudget(text, "b.toml");
  if (!budget) {
    require(budget.error().message.rfind("b.toml:", 0) == 0,
            "the sentence names the file");
    return 0;
  }
  for (const traced::BudgetRow& row : budget->rows) {
    require(row.count || row.bytes, "a row has a figure");
  }
  return 0;
}
