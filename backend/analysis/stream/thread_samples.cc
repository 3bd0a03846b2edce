#include "analysis/stream/thread_samples.h"

#include <algorithm>
#include <utility>

#include "analysis/stream/context_text.h"
#include "base/instant.h"

namespace traced {
namespace {

// A trace may be hostile. Usual ones have a few rows at the end.
constexpr std::ptrdiff_t kMaxRows = 2048;

// Returns the rows that were sampled after the last operation was issued and
// the last wait ended, in order of time.
std::vector<ThreadSampleRow> samplesAtEnd(const StreamTable& table) {
  std::vector<ThreadSampleRow> rows = table.thread_samples;
  std::uint64_t last_op = 0;
  Instant last;
  for (const AssembledOperation& op : table.operations) {
    last_op = std::max(last_op, op.id);
    if (op.wait_ended.isAfter(last)) last = op.wait_ended;
  }
  std::erase_if(rows, [&](const ThreadSampleRow& row) {
    return row.position < last_op || last.isAfter(Instant(row.sample_ns));
  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ThreadSampleRow& a, const ThreadSampleRow& b) {
                     return a.position < b.position;
                   });
  if (rows.size() > kMaxRows) rows.erase(rows.begin(), rows.end() - kMaxRows);
  return rows;
}

ThreadStanding standingOf(const StreamTable& table,
                          const ThreadSampleRow& row) {
  ThreadStanding standing;
  standing.tid = row.tid;
  standing.is_main = row.tid == static_cast<std::uint64_t>(table.header.pid());
  standing.reading = static_cast<v1::StackReading>(row.reading);
  standing.state = static_cast<char>(row.state);
  standing.samples = 1;
  standing.before_end_ns =
      between(Instant(row.sample_ns), table.last).value_or(0);
  if (const std::string* call = table.definitions.text(row.waits_in)) {
    standing.waits_in = *call;
  }
  if (const v1::Stack* stack = table.definitions.stack(row.stack)) {
    for (const v1::Frame* frame : table.definitions.frames(*stack)) {
      standing.frames.push_back(frame ? *frame : v1::Frame());
    }
    standing.cut = stack->cut();
    standing.site = table.definitions.siteText(*stack);
    standing.handling = handlingText(*stack);
    if (stack->site() != 1 && !standing.frames.empty()) {
      standing.innermost = libraryFrameText(standing.frames.front());
    }
  }
  standing.kind = kindOf(row, standing.frames, standing.waits_in);
  return standing;
}

std::optional<std::uint64_t> cpuBetween(const ThreadSampleRow& from,
                                        const ThreadSampleRow& to) {
  if (from.cpu_ns_plus_1 == 0 || to.cpu_ns_plus_1 < from.cpu_ns_plus_1) {
    return std::nullopt;
  }
  return to.cpu_ns_plus_1 - from.cpu_ns_plus_1;
}

// Extends a standing to the earlier samples of the thread at the same site.
void addEarlier(const StreamTable& table,
                const std::vector<ThreadSampleRow>& rows,
                const ThreadSampleRow& last, ThreadStanding& standing) {
  standing.cpu_ns = cpuBetween(last, last);
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->tid != last.tid || row->position >= last.position) continue;
    const ThreadStanding before = standingOf(table, *row);
    const bool same =
        before.site == standing.site &&
        (!standing.site.empty() || before.innermost == standing.innermost);
    if (!same) return;
    standing.stood_ns =
        between(Instant(row->sample_ns), Instant(last.sample_ns)).value_or(0);
    ++standing.samples;
    standing.cpu_ns = cpuBetween(*row, last);
  }
}

std::string placeOf(const ThreadStanding& standing) {
  return standing.site.empty() ? standing.innermost : standing.site;
}

}  // namespace

std::vector<ThreadStanding> standingsAtEnd(const StreamTable& table) {
  std::vector<ThreadStanding> standings;
  if (table.closed) return standings;
  const std::vector<ThreadSampleRow> rows = samplesAtEnd(table);
  std::string gil_holder;
  for (const ThreadSampleRow& row : rows) {
    if (row.sample_ns != rows.back().sample_ns) continue;
    ThreadStanding standing = standingOf(table, row);
    if (row.interpreter & v1::INTERPRETER_BIT_HOLDS_LOCK) {
      gil_holder = placeOf(standing);
    }
    addEarlier(table, rows, row, standing);
    standings.push_back(std::move(standing));
  }
  for (ThreadStanding& standing : standings) {
    if (standing.kind == StandingKind::kWaitsForGil) {
      standing.gil_holder = gil_holder;
    }
  }
  std::stable_partition(
      standings.begin(), standings.end(),
      [](const ThreadStanding& standing) { return standing.is_main; });
  return standings;
}

}  // namespace traced
