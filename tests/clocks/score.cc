#include "clocks/score.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/clocks/align_clocks.h"
#include "analysis/stream/clock_models.h"

namespace traced::testing {
namespace {

StreamTable shifted(StreamTable table, const ClockError& error) {
  if (!error) return table;
  const auto shift = [&](Instant& instant) {
    if (instant.known()) {
      instant = Instant(instant.ns() + error(instant.ns()));
    }
  };
  for (AssembledOperation& op : table.operations) {
    shift(op.issued);
    shift(op.ended);
  }
  return table;
}

}  // namespace

ClockScore scoreClocks(TraceSet set, const std::vector<StreamTable>& tables,
                       const std::vector<ClockError>& errors) {
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    set.streams[i].header.set_boot_id("boot " + std::to_string(i));
  }
  const AlignedClocks clocks = alignClocks(
      set,
      [&](const std::vector<std::size_t>& streams, const VisitStream& visit) {
        for (const std::size_t i : streams) {
          StreamTable table = shifted(tables[i], errors[i]);
          visit(i, table);
        }
      },
      kDefaultMaxDriftPpb);
  ClockScore score;
  double squares = 0;
  for (std::size_t i = 1; i < tables.size(); ++i) {
    for (const AssembledOperation& op : tables[i].operations) {
      const std::int64_t truth = op.issued.ns();
      const std::int64_t read = truth + (errors[i] ? errors[i](truth) : 0);
      const auto certified = certifiedNs(clocks.models[i], read);
      if (!certified) {
        ++score.unanswered;
        continue;
      }
      ++score.instants;
      score.outside += truth < certified->low_ns || truth > certified->high_ns;
      const double error_us =
          static_cast<double>(commonNs(clocks.models[i], read) - truth) / 1e3;
      score.max_error_us = std::max(score.max_error_us, std::abs(error_us));
      squares += error_us * error_us;
      score.widest_us = std::max(
          score.widest_us,
          static_cast<double>(certified->high_ns - certified->low_ns) / 2e3);
    }
  }
  if (score.instants > 0) {
    score.rms_error_us =
        std::sqrt(squares / static_cast<double>(score.instants));
  }
  return score;
}

}  // namespace traced::testing
