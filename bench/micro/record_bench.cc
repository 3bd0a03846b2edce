// What recording costs the caller, without torch: one operation from issue to
// release, warm. The writer thread drains meanwhile, as in a job; operations
// that find the ring full are counted in the label, since they are cheaper.
//
//   build/release/bench/record_bench

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "recorder/recorder.h"

namespace traced {
namespace {

// One recorder per process, writing into a temporary directory.
Recorder& recorder() {
  static Recorder* const started = [] {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "traced-bench-XXXXXX")
            .string();
    static const std::string directory = mkdtemp(pattern.data());
    std::atexit([] {
      Recorder::stopCurrent(std::chrono::seconds(5));
      std::filesystem::remove_all(directory);
    });
    Options options;
    options.directory = directory;
    options.ring_slots = std::uint64_t{1} << 20;
    return *Recorder::start(options, {});
  }();
  return *started;
}

RecordedGroup& group() {
  static const std::unique_ptr<RecordedGroup> world = [] {
    GroupInfo info;
    info.leg = "cpu";
    info.members = {0, 1};
    return recorder().addGroup(std::move(info));
  }();
  return *world;
}

CallDescription describe() {
  CallDescription call(Operation::kAllReduce, group().id());
  const std::int64_t shape[] = {1024, 1024};
  call.fields().in_place = true;
  call.addInput(DType::kFloat32, shape, 4 << 20);
  return call;
}

BufferList buffers() {
  BufferList list;
  list.add({0x7f0000000000, 0, 4 << 20});
  return list;
}

// Outside of what is timed.
void startWithAnEmptyRing() {
  group();
  recorder().flush(std::chrono::seconds(10));
}

// The part before the inner backend is called.
void issue(benchmark::State& state) {
  startWithAnEmptyRing();
  std::int64_t lost = 0;
  for (auto _ : state) {
    const OpId op = recorder().issue(group(), describe(), buffers(),
                                     group().nextCollective(), 0, nowNs());
    lost += op == kLostOp;
  }
  state.counters["lost"] = static_cast<double>(lost);
}

// All five records of an operation that is waited for.
void wholeOperation(benchmark::State& state) {
  startWithAnEmptyRing();
  std::int64_t lost = 0;
  for (auto _ : state) {
    const OpId op = recorder().issue(group(), describe(), buffers(),
                                     group().nextCollective(), 0, nowNs());
    recorder().returned(op, nowNs());
    const std::int64_t begin_ns = nowNs();
    recorder().waited({op, begin_ns,
                       static_cast<std::uint64_t>(nowNs() - begin_ns), 0, 0, 0,
                       Outcome::kOk, true});
    recorder().released(op);
    lost += op == kLostOp;
  }
  state.counters["lost"] = static_cast<double>(lost);
}

// Few enough iterations for the ring to hold them all.
BENCHMARK(issue)->Iterations(200'000)->Repetitions(5);
BENCHMARK(wholeOperation)->Iterations(200'000)->Repetitions(5);

}  // namespace
}  // namespace traced
