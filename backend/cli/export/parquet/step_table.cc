#include "analysis/stream/clock_cursor.h"
#include "cli/export/parquet/rank_tables.h"

namespace traced {
namespace {

const TableSpec& stepTableSpec() {
  static const TableSpec spec = {"steps",
                                 {{"rank", ColumnKind::kNumber, true},
                                  {"step"},
                                  {"begin_ns"},
                                  {"end_ns"},
                                  {"took_ns"}},
                                 {"rank"}};
  return spec;
}

}  // namespace

StepTable::StepTable(const TableFolder& folder)
    : file_(folder, stepTableSpec(), 0) {}

void StepTable::add(const StreamTable& table, const v1::ClockModel& model) {
  const ClockCursor clock(model);
  const auto common = [&](Instant at) {
    return at.known() ? clock.commonNs(at.ns()) : kNoValue;
  };
  for (const Marks::Step& step : table.marks.steps()) {
    std::size_t column = 0;
    file_[column++].add(table.header.rank());
    file_[column++].addCount(step.number);
    file_[column++].add(common(step.began));
    file_[column++].add(common(step.ended));
    file_[column++].addIf(between(step.began, step.ended));
    file_.endRow();
  }
}

}  // namespace traced
