#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/help.h"

namespace traced {
namespace {

constexpr std::pair<const char*, const char*> kColumnMeanings[] = {
    {"calls", "Operations in the row, counted on every rank."},
    {"bytes", "Size of the inputs or the outputs, whichever is larger."},
    {"size", "Range of the bytes of one call."},
    {"host ms", "From issue to return of the call."},
    {"completion ms", "From issue to end of the operation."},
    {"wait ms", "Time that the program spent in wait() for the operation."},
    {"for peers ms",
     "From the moment a rank was ready until the slowest rank that it depends "
     "on was ready."},
    {"transfer ms", "From the end of that wait to the end of the operation."},
    {"algbw", "Bytes over completion time in GB/s (1e9 bytes), median."},
    {"busbw",
     "algbw times the factor of the collective in NCCL's performance tests; "
     "comparable with the bandwidth of the link."},
    {"busbw of transfer", "The same over transfer time."},
    {"share of run",
     "host and wait over the time of all ranks, each from its first operation "
     "to its last."},
};

constexpr std::pair<const char*, const char*> kCellMeanings[] = {
    {"p50, p99, max", "Percentiles by nearest rank, and the maximum."},
    {"-", "Not recorded."},
    {"<1.2", "An upper bound: the error may exceed the value."},
    {">=2.1 %", "A lower bound: records were lost."},
    {"2.1-18.9 %",
     "Some waits are not recorded (waits for a future). The upper end "
     "assumes that the program waited for these operations."},
};

}  // namespace

std::string columnsHelp() {
  std::string text = "Columns of tracectl report:\n";
  for (const auto& [name, meaning] : kColumnMeanings) {
    absl::StrAppend(&text, helpLine(name, meaning));
  }
  absl::StrAppend(&text, "\nCells:\n");
  for (const auto& [cell, meaning] : kCellMeanings) {
    absl::StrAppend(&text, helpLine(cell, meaning));
  }
  return absl::StrCat(
      text,
      "\n--wide shows all columns, and totals of each rank and group.\n"
      "docs/reference/columns.md has the details.\n");
}

}  // namespace traced
