// Compares the record path with the tracers that were available at build time.
// Each records bursts of 100 events of five integers. The consumers drain for 2
// ms after each burst.
//
// traced's event is the return of an operation: a slot with two integers and
// three bytes.
//
//   build/release/bench/peers_bench
//
// LTTng records only while a session is active; see bench/README.md.

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

#include "base/clock.h"
#include "support/bench_recorder.h"
#include "support/samples.h"
#ifdef TRACED_BENCH_SPDLOG
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#endif
#ifdef TRACED_BENCH_LTTNG
#include "micro/lttng_event.h"
#endif

namespace traced::bench {
namespace {

constexpr int kBurst = 100;
constexpr int kBursts = 400;

template <typename Emit>
void bursts(benchmark::State& state, Emit emit) {
  Samples samples(kBursts);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::int64_t begin = readClock(CLOCK_MONOTONIC);
    for (int i = 0; i < kBurst; ++i) emit(i);
    const std::int64_t ns = readClock(CLOCK_MONOTONIC) - begin;
    state.SetIterationTime(static_cast<double>(ns) * 1e-9 / kBurst);
    samples.add(ns);
  }
  // Per event.
  state.counters["p50"] = samples.median() / kBurst;
  state.counters["p99"] = samples.quantile(0.99) / kBurst;
}

void traced(benchmark::State& state) {
  emptyRing();
  bursts(state, [&recorder = recorder()](int i) {
    recorder.returned(static_cast<OpId>(i), nowNs());
  });
}
BENCHMARK(traced)->UseManualTime()->Iterations(kBursts);

#ifdef TRACED_BENCH_LTTNG
void lttng(benchmark::State& state) {
  bursts(state, [](int i) {
    tracepoint(traced_bench, event, i, i + 1, i + 2, i + 3, i + 4);
  });
}
BENCHMARK(lttng)->UseManualTime()->Iterations(kBursts);
#endif

#ifdef TRACED_BENCH_SPDLOG
void spdlogAsync(benchmark::State& state) {
  recorder();  // creates the directory and registers its removal
  auto logger = spdlog::basic_logger_mt<spdlog::async_factory>(
      "bench", temporaryDirectory() + "/spdlog");
  bursts(state, [&](int i) {
    logger->info("{} {} {} {} {}", i, i + 1, i + 2, i + 3, i + 4);
  });
  spdlog::shutdown();
}
BENCHMARK(spdlogAsync)->UseManualTime()->Iterations(kBursts);
#endif

}  // namespace
}  // namespace traced::bench
