#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "cli/export/parquet/rank_tables.h"

namespace traced {
namespace {

const TableSpec& lossTableSpec() {
  static const TableSpec spec = {"losses",
                                 {{"rank"},
                                  {"what", ColumnKind::kText},
                                  {"amount"},
                                  {"unit", ColumnKind::kText},
                                  {"detail", ColumnKind::kText}},
                                 {}};
  return spec;
}

}  // namespace

LossTable::LossTable(const TableFolder& folder)
    : file_(folder, lossTableSpec(), 0) {}

void LossTable::addRow(std::int64_t rank, const char* what, std::int64_t amount,
                       const char* unit, const std::string& detail) {
  std::size_t column = 0;
  file_[column++].add(rank);
  file_[column++].addText(what);
  file_[column++].add(amount);
  file_[column++].addText(unit);
  file_[column++].addText(detail);
  file_.endRow();
}

void LossTable::add(const StreamTable& table) {
  const std::int64_t rank = table.header.rank();
  const auto add = [&](const char* what, std::uint64_t amount, const char* unit,
                       const std::string& detail = "") {
    if (amount == 0) return;
    addRow(rank, what, TableColumn::fitting(amount), unit, detail);
  };
  for (const v1::Drop& drop : table.accounts.drop()) {
    add("dropped", drop.records(), "records", nameOf(drop.reason()));
  }
  add("missing", table.missing(), "records");
  add("gaps", table.gaps, "gaps");
  add("refused", table.refused_bytes, "bytes");
  add("skipped", table.skipped_chunks, "chunks");
  add("broken", table.broken_tables, "chunks");
  add("overlapping", table.overlapping_chunks, "chunks");
  add("refused_groups", table.definitions.refusedGroups().size(), "groups");
  add("not_in_dump", table.not_in_dump, "records");
  if (!table.endKnown()) addRow(rank, "end_unknown", kNoValue, "records", "");
}

void LossTable::add(const TraceSet& set, const RunSummary& summary) {
  const auto say = [&](const char* what, const std::string& sentence) {
    addRow(kNoValue, what, kNoValue, "", sentence);
  };
  for (const std::string& text : set.input_warnings) say("input", text);
  for (const std::string& text : set.selection_warnings) say("selection", text);
  for (const std::string& text : summary.clockWarnings()) say("clock", text);
  const std::string absent = summary.absentRanks();
  if (!absent.empty()) say("absent_ranks", absent);
  if (const std::uint64_t bytes = unusableBytes(set, summary)) {
    addRow(kNoValue, "unusable", TableColumn::fitting(bytes), "bytes", "");
  }
}

}  // namespace traced
