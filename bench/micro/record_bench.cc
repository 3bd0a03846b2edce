// Measures what recording costs the caller without torch: the issue alone, and
// all records of an operation that is waited for at once.
//
//   build/release/bench/record_bench
//
// warm: repeated calls. evicted: single calls after a pass over 16 MiB of other
// memory, including two clock readings. single: single calls, for the tail.
//
// The writer thread drains meanwhile, as in a job. Operations that find the
// ring full are counted as lost, because they are cheaper.

#include <benchmark/benchmark.h>

#include "micro/quantiles.h"
#include "support/bench_recorder.h"
#include "support/caches.h"
#include "support/samples.h"

namespace traced::bench {
namespace {

RecordedGroup& group() {
  static const std::unique_ptr<RecordedGroup> world = makeGroup();
  return *world;
}

OpId issue() {
  const std::int64_t issue_ns = nowNs();
  const std::int64_t shape[] = {1024, 1024};
  CallDescription call(Operation::kAllReduce, group().id());
  call.fields().in_place = true;
  call.addInput(DType::kFloat32, shape, 4 << 20);
  BufferList buffers;
  buffers.add({0x7f0000000000, 0, 4 << 20});
  recorder().prepare();
  return recorder().issue(group(), call, buffers, group().nextCollective(), 0,
                          issue_ns);
}

OpId wholeOperation() {
  const OpId op = issue();
  const std::int64_t return_ns = nowNs();
  const std::int64_t begin_ns = nowNs();
  recorder().waited(
      {op, begin_ns, static_cast<std::uint64_t>(nowNs() - begin_ns), 0, 0, 0,
       Outcome::kOk, true},
      return_ns);
  return op;
}

using Path = OpId (*)();

void warm(benchmark::State& state, Path path) {
  group();
  emptyRing();
  std::int64_t lost = 0;
  for (auto _ : state) lost += path() == kLostOp;
  state.counters["lost"] = static_cast<double>(lost);
}

void evicted(benchmark::State& state, Path path) {
  static Caches caches;
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    caches.evict();
    samples.add(timed(state, path));
  }
  addQuantiles(state, samples);
}

void single(benchmark::State& state, Path path) {
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  std::int64_t n = 0;
  for (auto _ : state) {
    // Each operation takes 2 slots, so this leaves room for all.
    if (++n % 100'000 == 0) emptyRing();
    samples.add(timed(state, path));
  }
  addQuantiles(state, samples);
}

// Few enough iterations for the ring to hold them all.
BENCHMARK_CAPTURE(warm, issue, issue)->Iterations(200'000)->Repetitions(5);
BENCHMARK_CAPTURE(warm, operation, wholeOperation)
    ->Iterations(200'000)
    ->Repetitions(5);
BENCHMARK_CAPTURE(evicted, issue, issue)->Iterations(1000)->UseManualTime();
BENCHMARK_CAPTURE(evicted, operation, wholeOperation)
    ->Iterations(1000)
    ->UseManualTime();
BENCHMARK_CAPTURE(single, operation, wholeOperation)
    ->Iterations(3'000'000)
    ->UseManualTime();

}  // namespace
}  // namespace traced::bench
