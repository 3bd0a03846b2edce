#include "analysis/stream/thread_samples.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/stream/context_text.h"
#include "base/instant.h"

namespace traced {
namespace {

// A trace may be hostile. Usual ones have a few rows at the end.
constexpr std::ptrdiff_t kMaxRows = 2048;
constexpr std::size_t kMaxThreads = 256;

// Returns the rows that were sampled after the program last went on, in order:
// after the last operation, step and function of torch.distributed, and after
// the last wait ended.
std::vector<ThreadSampleRow> samplesAtEnd(const StreamTable& table) {
  std::vector<ThreadSampleRow> rows = table.thread_samples;
  if (rows.empty()) return rows;
  std::uint64_t last_action = 0;
  const auto note = [&last_action](std::uint64_t position) {
    last_action = std::max(last_action, position);
  };
  Instant last;
  for (const AssembledOperation& op : table.operations) {
    note(op.id);
    if (op.wait_ended.isAfter(last)) last = op.wait_ended;
  }
  for (const FunctionRow& row : table.functions) note(row.position);
  for (const Marks::Step& step : table.marks.steps()) note(step.position);
  std::erase_if(rows, [&](const ThreadSampleRow& row) {
    return row.position < last_action || last.isAfter(Instant(row.sample_ns));
  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ThreadSampleRow& a, const ThreadSampleRow& b) {
                     return a.position < b.position;
                   });
  if (rows.size() > kMaxRows) rows.erase(rows.begin(), rows.end() - kMaxRows);
  return rows;
}

// Returns the kernel id of the thread that issued the last operation, or 0.
std::uint64_t lastIssuer(const StreamTable& table) {
  if (table.operations.empty()) return 0;
  const v1::Thread* const thread =
      table.definitions.thread(table.operations.back().thread);
  return thread ? static_cast<std::uint64_t>(thread->tid()) : 0;
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
  standing.collects = row.interpreter & v1::INTERPRETER_BIT_COLLECTING;
  return standing;
}

std::optional<std::uint64_t> cpuBetween(const ThreadSampleRow& from,
                                        const ThreadSampleRow& to) {
  if (from.cpu_ns_plus_1 == 0 || to.cpu_ns_plus_1 < from.cpu_ns_plus_1) {
    return std::nullopt;
  }
  return to.cpu_ns_plus_1 - from.cpu_ns_plus_1;
}

bool isSame(const ThreadStanding& one, const ThreadStanding& other) {
  return one.kind == other.kind && one.site == other.site &&
         one.innermost == other.innermost &&
         callOf(one.waits_in) == callOf(other.waits_in) &&
         !one.frames.empty() && !other.frames.empty();
}

// Returns where a thread was, from all its rows at the end.
ThreadStanding standingFrom(const StreamTable& table,
                            const std::vector<ThreadSampleRow>& rows) {
  const ThreadSampleRow& last = rows.back();
  ThreadStanding standing = standingOf(table, last);
  standing.cpu_ns = cpuBetween(last, last);
  for (auto row = std::next(rows.rbegin()); row != rows.rend(); ++row) {
    if (!isSame(standingOf(table, *row), standing)) break;
    standing.stood_ns =
        between(Instant(row->sample_ns), Instant(last.sample_ns)).value_or(0);
    standing.cpu_ns = cpuBetween(*row, last);
    ++standing.samples;
  }
  return standing;
}

// Sets where the holder of the interpreter lock was, for those that wait for
// it.
void nameGilHolder(const StreamTable& table, const ThreadSampleRow& holder,
                   std::vector<ThreadStanding>& standings) {
  const ThreadStanding its = standingOf(table, holder);
  for (ThreadStanding& standing : standings) {
    if (standing.kind != StandingKind::kWaitsForGil) continue;
    if (standing.tid == holder.tid) continue;
    standing.gil_holder = its.site.empty() ? its.innermost : its.site;
  }
}

}  // namespace

std::vector<ThreadStanding> standingsAtEnd(const StreamTable& table) {
  std::vector<ThreadStanding> standings;
  if (table.closed) return standings;
  const std::vector<ThreadSampleRow> rows = samplesAtEnd(table);
  absl::btree_map<std::uint32_t, std::vector<ThreadSampleRow>> by_thread;
  for (const ThreadSampleRow& row : rows) {
    if (by_thread.size() < kMaxThreads || by_thread.contains(row.tid)) {
      by_thread[row.tid].push_back(row);
    }
  }
  const std::uint64_t issuer = lastIssuer(table);
  for (const auto& [tid, of_thread] : by_thread) {
    if (of_thread.back().sample_ns != rows.back().sample_ns) continue;
    standings.push_back(standingFrom(table, of_thread));
    standings.back().issued_last = tid == issuer;
  }
  for (const ThreadSampleRow& row : rows) {
    if (row.sample_ns == rows.back().sample_ns &&
        (row.interpreter & v1::INTERPRETER_BIT_HOLDS_LOCK)) {
      nameGilHolder(table, row, standings);
      break;
    }
  }
  std::stable_partition(
      standings.begin(), standings.end(),
      [](const ThreadStanding& standing) { return standing.is_main; });
  return standings;
}

}  // namespace traced
