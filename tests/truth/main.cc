// truth_machine: runs random programs of which the truth is known, and holds
// what the analysis says of their traces against it.
//
//   truth_machine [--programs N] [--seconds S] [--seed N] [--first-seed N]
//                 [--with FEATURE]... [--without FEATURE]... [--keep-going]
//                 [--keep FOLDER]
//
// --seed runs one program, --keep leaves the traces of the last one there. Exits with 1 when a lie was told, with its seed and
// the smallest program that it is told of.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "support/temp_dir.h"
#include "truth/generate.h"
#include "truth/shrink.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

struct Options {
  std::uint64_t programs = 1'000;
  std::uint64_t first_seed = 0;
  double seconds = 0;  // 0: as long as it takes
  bool one = false;
  bool keep_going = false;
  std::string keep;  // "": nowhere
  Features features = defaultFeatures();
};

class Machine {
 public:
  explicit Machine(const Options& options)
      : options_(options), dir_(placeOf()) {}

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                           begin)
          .count();
    };
    std::uint64_t programs = 0;
    while (programs < options_.programs) {
      if (options_.seconds > 0 && elapsed() > options_.seconds) break;
      tryOne(options_.first_seed + programs);
      ++programs;
      if (!lies_.empty() && !options_.keep_going) break;
    }
    say(programs, elapsed());
    return lies_.empty() ? 0 : 1;
  }

 private:
  // In memory, where there is such a place.
  static std::filesystem::path placeOf() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory)
               ? memory
               : std::filesystem::temp_directory_path();
  }

  void tryOne(std::uint64_t seed) {
    const Program program = generate(seed, options_.features);
    if (options_.one) std::printf("%s", textOf(program).c_str());
    const Trial trial = perform(program, folder());
    const Judgement judged = judgeAnswers(trial);
    if (options_.one) std::printf("%s", judged.said.c_str());
    if (trial.isFaulty() && trial.isWhole()) {
      if (judged.naming == Naming::kWrong) {
        wrong_[nameOf(program.fault.kind)] = seed;
      }
      ++named_[nameOf(program.fault.kind)]
              [static_cast<std::size_t>(judged.naming)];
    }
    for (const Lie& lie : judged.lies) {
      if (++lies_[lie.check] > 1) continue;
      std::printf("seed %lu: %s\n  %s\n", static_cast<unsigned long>(seed),
                  lie.check.c_str(), lie.text.c_str());
      const Program small = shrink(program, lie.check, folder());
      std::printf("the smallest program:\n%s", textOf(small).c_str());
      for (const Lie& again : judgeAnswers(perform(small, folder())).lies) {
        if (again.check != lie.check) continue;
        std::printf("  %s\n", again.text.c_str());
        break;
      }
      std::fflush(stdout);
    }
  }

  void say(std::uint64_t programs, double seconds) const {
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
        static_cast<unsigned long>(programs),
        static_cast<unsigned long>(options_.first_seed),
        static_cast<double>(programs) / seconds, lies_.size());
  }

  std::string folder() const {
    return options_.keep.empty() ? dir_.path() + "/job" : options_.keep;
  }

  const Options options_;
  const testing::TempDir dir_;
  std::map<std::string, unsigned long> lies_;
  // By kind of the fault, and by Naming.
  std::map<std::string, std::array<unsigned long, 3>> named_;
  // The last seed with which another was named.
  std::map<std::string, std::uint64_t> wrong_;
};

bool setFeature(Features& features, const char* name, bool on) {
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    if (std::strcmp(kFeatures[i].name, name) != 0) continue;
    features.set(i, on);
    return true;
  }
  std::fprintf(stderr, "there is no feature %s; there are:\n", name);
  for (const FeatureInfo& feature : kFeatures) {
    std::fprintf(stderr, "  %-14s %s\n", feature.name,
                 feature.left_out_because ? feature.left_out_because : "");
  }
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
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (name == "--with" || name == "--without") {
      if (!setFeature(options.features, value, name == "--with")) return false;
    } else if (name == "--keep") {
      options.keep = value;
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
  return true;
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
