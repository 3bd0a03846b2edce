// Measures what the wrapper adds to an operation of a backend that does
// nothing, in C++: one all_reduce of a tensor, its wait, and the release of its
// Work.
//
//   build/release/bench/wrapper_bench [--json FILE] [--rounds N] [--evicted N]
//
// The arms alternate, in an order that is reversed every round. A figure is the
// median over the rounds of the difference from the bare backend in the same
// round. `--evicted` is the number of rounds with evicted caches.

#include <ATen/ops/ones.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c10d/wrapper/traced_backend.h"
#include "support/bench_recorder.h"
#include "support/caches.h"
#include "support/samples.h"
#include "wrapper/engine_backend.h"
#include "wrapper/finished_backend.h"

namespace traced::bench {
namespace {

using Backend = c10::intrusive_ptr<c10d::Backend>;

constexpr int kWarmOperations = 2000;

struct Arm {
  const char* name;
  Backend backend;
  bool enabled;
  bool async;
  const char* reference;  // the arm it is compared with; null: none
};

class Bench {
 public:
  Bench() {
    auto inner = c10::make_intrusive<FinishedBackend>();
    auto forwarding = c10::make_intrusive<forwarding::ForwardingBackend>(inner);
    auto traced = wrapped(inner);
    arms_ = {{"bare", inner, true, false, nullptr},
             {"forwarding", forwarding, true, false, "bare"},
             {"disabled", traced, false, false, "forwarding"},
             {"traced", traced, true, false, "bare"},
             {"bare async", inner, true, true, nullptr},
             {"traced async", traced, true, true, "bare async"}};
    addEngine("", true);
    addEngine(", pending", false);
  }

  // Returns the nanoseconds per operation of each arm in one round.
  std::vector<double> round(bool evicted, bool reversed) {
    std::vector<double> ns(arms_.size());
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      const std::size_t at = reversed ? arms_.size() - 1 - i : i;
      ns[at] = evicted ? runEvicted(arms_[at]) : runWarm(arms_[at]);
    }
    return ns;
  }

  const std::vector<Arm>& arms() const { return arms_; }

 private:
  static Backend wrapped(const Backend& inner) {
    return c10::make_intrusive<TracedBackend>(
        inner, recorder(), makeGroup(inner->getBackendName()));
  }

  // Adds NCCL's classic engine, whose watchdog reports results, and the newer
  // one without its hooks. They differ only in the listener.
  void addEngine(const char* suffix, bool completes) {
    const auto add = [&](std::string name, Backend backend, const char* over) {
      names_.push_back(name + suffix);
      arms_.push_back({names_.back().c_str(), backend, true, true, over});
      return names_.back().c_str();
    };
    const auto engine = [&](const char* name) {
      return c10::make_intrusive<EngineBackend>(name, completes);
    };
    const char* bare = add("engine", engine("nccl"), nullptr);
    const char* without_hook = add("unheard", wrapped(engine("nccl2")), bare);
    add("heard", wrapped(engine("nccl")), without_hook);
  }

  void operate(const Arm& arm) {
    options_.asyncOp = arm.async;
    arm.backend->allreduce(tensors_, options_)->wait();
  }

  double runWarm(const Arm& arm) {
    Recorder::setEnabled(arm.enabled);
    for (int i = 0; i < kWarmOperations / 10; ++i) operate(arm);
    emptyRing();
    // Uses this thread's CPU time, to exclude time taken by other threads.
    const std::int64_t begin = readClock(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kWarmOperations; ++i) operate(arm);
    const std::int64_t end = readClock(CLOCK_THREAD_CPUTIME_ID);
    return static_cast<double>(end - begin) / kWarmOperations;
  }

  double runEvicted(const Arm& arm) {
    Recorder::setEnabled(arm.enabled);
    caches_.evict();
    const std::int64_t begin = nowNs();
    operate(arm);
    return static_cast<double>(nowNs() - begin);
  }

  Caches caches_;
  std::vector<at::Tensor> tensors_{at::ones({1024, 16})};
  c10d::AllreduceOptions options_;
  std::deque<std::string> names_;
  std::vector<Arm> arms_;
};

nlohmann::ordered_json measure(Bench& bench, bool evicted, int rounds) {
  std::vector<std::vector<double>> ns;
  bench.round(evicted, false);
  for (int i = 0; i < rounds; ++i) ns.push_back(bench.round(evicted, i % 2));

  nlohmann::ordered_json result;
  for (std::size_t a = 0; a < bench.arms().size(); ++a) {
    const Arm& arm = bench.arms()[a];
    std::size_t reference = a;
    for (std::size_t b = 0; arm.reference && b < a; ++b) {
      if (!std::strcmp(bench.arms()[b].name, arm.reference)) reference = b;
    }
    // In hundredths of a nanosecond, because the samples are whole numbers.
    Samples absolute(ns.size()), added(ns.size());
    for (const auto& of_round : ns) {
      absolute.add(static_cast<std::int64_t>(100 * of_round[a]));
      added.add(
          static_cast<std::int64_t>(100 * (of_round[a] - of_round[reference])));
    }
    auto& json = result[arm.name];
    json["ns"] = absolute.median() / 100;
    json["ns_p10"] = absolute.quantile(0.1) / 100;
    std::printf("  %-16s %8.1f ns, 10 %% below %8.1f", arm.name,
                absolute.median() / 100, absolute.quantile(0.1) / 100);
    if (arm.reference) {
      json["over"] = arm.reference;
      json["added_ns"] = added.median() / 100;
      json["added_ns_quartiles"] = {added.quantile(0.25) / 100,
                                    added.quantile(0.75) / 100};
      std::printf("  %+8.1f (%+.1f to %+.1f) over %s", added.median() / 100,
                  added.quantile(0.25) / 100, added.quantile(0.75) / 100,
                  arm.reference);
    }
    std::printf("\n");
  }
  return result;
}

int run(int rounds, int evicted, const std::string& json_path) {
  Bench bench;
  nlohmann::ordered_json result;
  result["bench"] = "wrapper";
  result["torch"] = TRACED_TORCH_VERSION;
  result["rounds"] = rounds;
  std::printf("warm, %d rounds of %d operations\n", rounds, kWarmOperations);
  result["warm"] = measure(bench, false, rounds);
  std::printf("caches evicted, %d rounds of one operation\n", evicted);
  if (evicted > 0) result["evicted"] = measure(bench, true, evicted);
  if (!json_path.empty()) std::ofstream(json_path) << result.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace traced::bench

int main(int argc, char** argv) {
  int rounds = 31;
  int evicted = 620;
  std::string json_path;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--rounds")) rounds = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--evicted")) evicted = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--json")) json_path = argv[i + 1];
  }
  return traced::bench::run(rounds, evicted, json_path);
}
