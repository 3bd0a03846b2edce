// Times single calls under Google Benchmark and reports quantiles.

#pragma once

#include <benchmark/benchmark.h>

#include "base/clock.h"
#include "support/samples.h"

namespace traced::bench {

// Times one call in nanoseconds, including two clock readings.
template <typename Call>
std::int64_t timed(benchmark::State& state, Call call) {
  const std::int64_t begin = readClock(CLOCK_MONOTONIC);
  benchmark::DoNotOptimize(call());
  const std::int64_t ns = readClock(CLOCK_MONOTONIC) - begin;
  state.SetIterationTime(static_cast<double>(ns) * 1e-9);
  return ns;
}

inline void addQuantiles(benchmark::State& state, Samples& samples) {
  state.counters["p10"] = samples.quantile(0.1);
  state.counters["p50"] = samples.median();
  state.counters["p99"] = samples.quantile(0.99);
  state.counters["p99.9"] = samples.quantile(0.999);
  state.counters["max"] = samples.quantile(1);
}

}  // namespace traced::bench
