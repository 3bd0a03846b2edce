// truth_machine: runs random programs with known truth, and compares the
// analysis of their traces with it.
//
//  truth_machine [--programs N] [--seconds S] [--seed N] [--first-seed N]
//                [--without FEATURE]... [--keep-going] [--jobs N]
//                [--keep FOLDER] [--delays]
//
// --delays plants a delay into each program, and checks only what `tracectl
// whatif` says about it. --seed runs one program. --keep leaves the traces of
// the last one in FOLDER. Exits with 1 after a wrong answer, and prints its
// seed and the smallest program that reproduces it.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.h"
#include "truth/generate.h"
#include "truth/shrink.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

struct Options {
  std::uint64_t programs = 1'000;
  std::uint64_t first_seed = 0;
  double seconds = 0;  // 0: no limit
  bool one = false;
  bool keep_going = false;
  bool delays = false;
  unsigned jobs = 1;  // programs at a time
  std::string keep;   // "": not kept
  Features features = Features().set();
};

// Shows the progress on a terminal.
class Progress {
 public:
  explicit Progress(const Options& options)
      : options_(options), shown_(isatty(STDERR_FILENO) != 0) {}

  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

  // Called after each program.
  void report(std::uint64_t programs, std::size_t lies) {
    if (!shown_ || options_.one || seconds() < next_) return;
    next_ = seconds() + 0.5;
    std::fprintf(stderr,
                 "\r%lu of %lu programs, %.0f a second, %zu kinds of lies ",
                 static_cast<unsigned long>(programs),
                 static_cast<unsigned long>(options_.programs),
                 static_cast<double>(programs) / seconds(), lies);
  }
  void clear() const {
    if (shown_ && !options_.one) std::fputs("\r\033[K", stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Options& options_;
  const bool shown_;
  const Clock::time_point began_ = Clock::now();
  double next_ = 0.5;
};

class Machine {
 public:
  explicit Machine(const Options& options)
      : options_(options), dir_(placeOf()), progress_(options_) {}

  int run() {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < options_.jobs; ++i) {
      workers.emplace_back([this, i] { work(folder(i)); });
    }
    for (std::thread& worker : workers) worker.join();
    progress_.clear();
    printSummary();
    return lies_.empty() ? 0 : 1;
  }

 private:
  // Returns a folder in memory if possible.
  static std::filesystem::path placeOf() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory)
               ? memory
               : std::filesystem::temp_directory_path();
  }

  // Runs programs until none is left. Each worker calls it.
  void work(const std::string& folder) {
    while (const auto seed = next()) tryOne(*seed, folder);
  }

  std::optional<std::uint64_t> next() {
    const std::lock_guard lock(mutex_);
    const bool late =
        options_.seconds > 0 && progress_.seconds() > options_.seconds;
    const bool enough = !lies_.empty() && !options_.keep_going;
    if (late || enough || begun_ == options_.programs) return std::nullopt;
    progress_.report(begun_, lies_.size());
    return options_.first_seed + begun_++;
  }

  void tryOne(std::uint64_t seed, const std::string& folder) {
    if (options_.delays) return tryDelay(seed, folder);
    const Program program = generate(seed, options_.features);
    const Trial trial = perform(program, folder);
    const Judgement judged = judgeAnswers(trial);
    if (options_.one) {
      std::printf("%s%s", textOf(program).c_str(), judged.text.c_str());
    }
    if (trial.isFaulty() && trial.isWhole()) count(program, judged.naming);
    for (const Lie& lie : judged.lies) {
      if (isNew(lie)) report(program, lie, folder);
    }
  }

  void tryDelay(std::uint64_t seed, const std::string& folder) {
    const Program original = generate(seed, options_.features);
    answerAnything(original, folder);
    const Program program = withDelay(original);
    const Trial trial = perform(program, folder);
    const auto set = openTraceSet({folder});
    if (!set) return;
    Lies lies;
    const WhatIfTruth truth = checkWhatIf(trial, *set, lies);
    const std::lock_guard lock(mutex_);
    if (truth.answered) delays_.push_back(truth);
    for (const Lie& lie : lies) {
      ++lies_[lie.check];
      std::printf("seed %lu: %s\n", static_cast<unsigned long>(seed),
                  lie.text.c_str());
    }
    if (options_.one) std::printf("%s", textOf(program).c_str());
  }

  // Asks about a run with any fault and loss. Its answers are not judged.
  static void answerAnything(const Program& program,
                             const std::string& folder) {
    const Trial trial = perform(program, folder);
    const auto set = openTraceSet({folder});
    Lies unused;
    if (set) checkWhatIf(trial, *set, unused);
  }

  // Prints how many answers held the truth, and how precise they were.
  void printDelays() const {
    const auto median = [&](auto&& value) {
      std::vector<double> values;
      for (const WhatIfTruth& each : delays_) {
        values.push_back(std::abs(value(each)));
      }
      std::sort(values.begin(), values.end());
      return values.empty() ? 0 : values[values.size() / 2];
    };
    const auto wrong = lies_.find("what a delay costs");
    std::printf(
        "%zu delays, %lu outside of the range; median cost %.3f, error %.4f, "
        "width of the range %.3f, replay error %.4f\n",
        delays_.size(), wrong == lies_.end() ? 0 : wrong->second,
        median([](const auto& each) { return each.saves; }),
        median([](const auto& each) { return each.off; }),
        median([](const auto& each) { return each.width; }),
        median([](const auto& each) { return each.replay_error; }));
  }

  void count(const Program& program, Naming naming) {
    const std::lock_guard lock(mutex_);
    const char* kind = nameOf(program.fault.kind);
    if (naming == Naming::kWrong) wrong_[kind] = program.seed;
    ++named_[kind][static_cast<std::size_t>(naming)];
  }

  bool isNew(const Lie& lie) {
    const std::lock_guard lock(mutex_);
    return ++lies_[lie.check] == 1;
  }

  void report(const Program& program, const Lie& lie,
              const std::string& folder) {
    const Program small = shrink(program, lie.check, folder);
    const Lies again = judgeAnswers(perform(small, folder)).lies;
    const auto same =
        std::find_if(again.begin(), again.end(),
                     [&](const Lie& each) { return each.check == lie.check; });
    const std::lock_guard lock(mutex_);
    progress_.clear();
    std::printf("seed %lu: %s\n  %s\nthe smallest program:\n%s",
                static_cast<unsigned long>(program.seed), lie.check.c_str(),
                lie.text.c_str(), textOf(small).c_str());
    if (same != again.end()) std::printf("  %s\n", same->text.c_str());
    std::fflush(stdout);
  }

  void printSummary() const {
    if (options_.delays) printDelays();
    for (const auto& [kind, count] : named_) {
      std::printf("%-16s named rightly %lu, nobody %lu, another %lu",
                  kind.c_str(), count[1], count[0], count[2]);
      const auto wrong = wrong_.find(kind);
      if (wrong != wrong_.end()) {
        std::printf(" (as with seed %lu)",
                    static_cast<unsigned long>(wrong->second));
      }
      std::printf("\n");
    }
    for (const auto& [check, count] : lies_) {
      std::printf("%6lu x %s\n", count, check.c_str());
    }
    std::printf(
        "%lu programs from seed %lu on, %.0f a second, %zu kinds of lies\n",
        static_cast<unsigned long>(begun_),
        static_cast<unsigned long>(options_.first_seed),
        static_cast<double>(begun_) / progress_.seconds(), lies_.size());
  }

  std::string folder(unsigned worker) const {
    return options_.keep.empty()
               ? dir_.path() + "/job-" + std::to_string(worker)
               : options_.keep;
  }

  const Options options_;
  const testing::TempDir dir_;
  std::mutex mutex_;
  // The following members are guarded by the mutex.
  Progress progress_;
  std::uint64_t begun_ = 0;
  std::map<std::string, unsigned long> lies_;
  std::vector<WhatIfTruth> delays_;
  // By kind of fault and Naming.
  std::map<std::string, std::array<unsigned long, 3>> named_;
  // The last seed for which a wrong rank was named, by kind of fault.
  std::map<std::string, std::uint64_t> wrong_;
};

bool leaveOut(Features& features, const char* name) {
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    if (std::strcmp(kFeatures[i], name) != 0) continue;
    features.reset(i);
    return true;
  }
  std::fprintf(stderr, "there is no feature %s; there are:\n", name);
  for (const char* feature : kFeatures) std::fprintf(stderr, "  %s\n", feature);
  return false;
}

bool parse(int argc, char** argv, Options& options) {
  options.first_seed = std::random_device{}() % 1'000'000'000;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--keep-going") {
      options.keep_going = true;
      continue;
    }
    if (name == "--delays") {
      options.delays = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (name == "--without") {
      if (!leaveOut(options.features, value)) return false;
    } else if (name == "--keep") {
      options.keep = value;
    } else if (name == "--jobs") {
      options.jobs = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--programs") {
      options.programs = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (name == "--first-seed") {
      options.first_seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--seed") {
      options.first_seed = std::strtoull(value, nullptr, 10);
      options.programs = 1;
      options.one = true;
    } else {
      return false;
    }
  }
  if (options.one || !options.keep.empty()) options.jobs = 1;
  return options.jobs > 0;
}

}  // namespace
}  // namespace traced::truth

int main(int argc, char** argv) {
  traced::truth::Options options;
  if (!traced::truth::parse(argc, argv, options)) {
    return std::fputs("see the head of tests/truth/main.cc\n", stderr), 2;
  }
  return traced::truth::Machine(options).run();
}
