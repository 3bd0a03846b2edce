// clock_score TRACES SEEDS [FIRST_SEED]
//
// Scores the alignment of the traces of a job on one host, with another set of
// clock errors for each seed. Exits with 1 if a true time is outside its
// certified interval. For two ranks, it also exits with 1 if an error exceeds
// 10 us with only offset and drift.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "analysis/reading/stream_loader.h"
#include "clocks/score.h"

namespace traced::testing {
namespace {

// Draws an offset of up to 50 ms and a drift of up to 50 ppm. With `rough`,
// adds a step and a ramp of the rate. The clock steps at the issue of an
// operation in the middle, so that bounds exist on both sides.
ClockError errorOf(std::mt19937_64& random, const StreamTable& table,
                   std::int64_t begin_ns, std::int64_t run_ns, bool rough,
                   std::int64_t longest_ns) {
  std::uniform_real_distribution<double> fifty(-50, 50), part(0.2, 0.8);
  const double offset_ns = fifty(random) * 1e6, rate = fifty(random) * 1e-6;
  // The step is forward, because a monotonic clock does not run backward.
  // Bounds are as far apart as operations last, so only a longer step
  // contradicts them.
  std::uniform_real_distribution<double> far(20, 50);
  const double step_ns =
      rough ? far(random) * 1e6 + 2 * static_cast<double>(longest_ns) : 0;
  const auto operations = static_cast<double>(table.operations.size());
  const auto middle = static_cast<std::size_t>(part(random) * operations);
  const std::int64_t step_at_ns = table.operations[middle].issued.ns();
  const double ramp = rough ? fifty(random) * 1e-6 : 0;
  return [=](std::int64_t true_ns) {
    const auto since = static_cast<double>(true_ns - begin_ns);
    const double gone = since / static_cast<double>(run_ns);
    return std::llround(offset_ns + rate * since + ramp * since * gone / 2 +
                        (true_ns < step_at_ns ? 0 : step_ns));
  };
}

std::int64_t longestOf(const std::vector<StreamTable>& tables) {
  std::int64_t longest_ns = 0;
  for (const StreamTable& table : tables) {
    for (const AssembledOperation& op : table.operations) {
      if (!op.issued.known() || !op.ended.known()) continue;
      longest_ns = std::max(longest_ns, op.ended.ns() - op.issued.ns());
    }
  }
  return longest_ns;
}

int run(const char* path, std::uint64_t seeds, std::uint64_t first_seed) {
  const auto set = openTraceSet({path});
  if (!set) return std::puts(set.error().message.c_str()), 2;
  std::vector<StreamTable> tables;
  StreamLoader loader(*set);
  for (const TraceStream& stream : set->streams) {
    tables.push_back(loader.load(stream));
  }
  const std::int64_t begin_ns = tables[0].header.started().monotonic_ns();
  const auto run_ns = static_cast<std::int64_t>(tables[0].runNs());
  const std::int64_t longest_ns = longestOf(tables);
  bool passed = true;
  for (const bool rough : {false, true}) {
    ClockScore worst;
    double squares = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
      std::mt19937_64 random(seed);
      std::vector<ClockError> errors(1);
      while (errors.size() < tables.size()) {
        errors.push_back(errorOf(random, tables[errors.size()], begin_ns,
                                 run_ns, rough, longest_ns));
      }
      const ClockScore score = scoreClocks(*set, tables, errors);
      if (score.outside > 0) std::printf("outside with seed %lu\n", seed);
      worst.max_error_us = std::max(worst.max_error_us, score.max_error_us);
      worst.widest_us = std::max(worst.widest_us, score.widest_us);
      worst.outside += score.outside;
      worst.unanswered += score.unanswered;
      worst.instants += score.instants;
      squares += score.rms_error_us * score.rms_error_us;
    }
    std::printf(
        "%zu ranks, %s, %lu seeds: error max %.1f us rms %.1f us, certified "
        "within %.0f us at most, outside %lu of %lu, unanswered %lu\n",
        tables.size(),
        rough ? "offset, drift, step and ramp" : "offset and drift", seeds,
        worst.max_error_us, std::sqrt(squares / static_cast<double>(seeds)),
        worst.widest_us, worst.outside, worst.instants, worst.unanswered);
    passed &= worst.outside == 0 && worst.instants > 0 &&
              (rough || tables.size() > 2 || worst.max_error_us <= 10);
  }
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace traced::testing

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: clock_score TRACES SEEDS [FIRST]"), 2;
  const auto number = [](const char* text) {
    return std::strtoull(text, nullptr, 10);
  };
  return traced::testing::run(argv[1], number(argv[2]),
                              argc > 3 ? number(argv[3]) : 1);
}
