#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/names.h"
#include "analysis/stream/process_end.h"
#include "cli/export/parquet/rank_tables.h"

namespace traced {
namespace {

const TableSpec& rankTableSpec() {
  constexpr auto kText = ColumnKind::kText;
  constexpr auto kFlag = ColumnKind::kFlag;
  static const TableSpec spec = {"ranks",
                                 {{"rank"},
                                  {"world_size"},
                                  {"host", kText},
                                  {"node", kText},
                                  {"pid"},
                                  {"torch_version", kText},
                                  {"operations"},
                                  {"simulated"},
                                  {"not_recorded"},
                                  {"switched_off_ns"},
                                  {"last_ns"},
                                  {"run_ns"},
                                  {"rank_time_ns"},
                                  {"clock", kText},
                                  {"closed", kFlag},
                                  {"recovered", kFlag},
                                  {"running", kFlag},
                                  {"end_known", kFlag},
                                  {"lost", kFlag},
                                  {"ended", kText},
                                  {"exit_code"},
                                  {"signal", kText},
                                  {"oom_killed", kFlag},
                                  {"exception", kText},
                                  {"raised_ns"}},
                                 {"rank"}};
  return spec;
}

std::int64_t commonOrNone(const ClockCursor& clock, Instant at) {
  return at.known() ? clock.commonNs(at.ns()) : kNoValue;
}

}  // namespace

RankTable::RankTable(const TableFolder& folder)
    : file_(folder, rankTableSpec(), 0) {}

void RankTable::add(const StreamTable& table, const v1::ClockModel& model) {
  const v1::Header& header = table.header;
  const ClockCursor clock(model);
  const ProcessEnd end = processEndOf(table);
  std::size_t column = 0;
  file_[column++].add(header.rank());
  file_[column++].add(header.world_size());
  file_[column++].addText(header.host());
  file_[column++].addText(header.node());
  file_[column++].add(header.pid() > 0 ? header.pid() : kNoValue);
  file_[column++].addText(header.torch_version());
  file_[column++].addCount(table.operations.size() - table.simulated);
  file_[column++].addCount(table.simulated);
  file_[column++].addCount(table.accounts.left_out());
  file_[column++].addCount(table.marks.pausedNs());
  file_[column++].add(commonOrNone(clock, table.last));
  file_[column++].addCount(table.runNs());
  file_[column++].addCount(table.rankTimeNs());
  file_[column++].addText(nameOf(model.source()));
  file_[column++].addFlag(table.closed);
  file_[column++].addFlag(table.accounts.recovered());
  file_[column++].addFlag(table.stillRunning());
  file_[column++].addFlag(table.endKnown());
  file_[column++].addFlag(table.lostSomething());
  file_[column++].addText(nameOf(end.kind));
  file_[column++].add(end.exit_code ? std::int64_t{*end.exit_code} : kNoValue);
  file_[column++].addText(end.signal ? signalName(end.signal) : "");
  file_[column++].addFlag(end.oom_killed);
  file_[column++].addText(end.exception);
  file_[column++].add(commonOrNone(clock, end.raised));
  file_.endRow();
}

}  // namespace traced
