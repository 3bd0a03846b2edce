// Kills processes at random instants while several threads record, and compares
// the traces with what the processes counted.
//
// TRACED_KILLS sets the number of kills; TRACED_SEED repeats a run.

#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "support/temp_dir.h"
#include "unit/cli/run_tracectl.h"
#include "workload.h"

namespace traced::testing {
namespace {

enum class Death { kKill, kBadStore, kFaultFromOutside, kAbort };
constexpr Death kDeaths[] = {Death::kKill, Death::kBadStore,
                             Death::kFaultFromOutside, Death::kAbort};

void bringAbout(Death death, pid_t child, Truth& truth) {
  switch (death) {
    case Death::kKill:
      kill(child, SIGKILL);
      break;
    case Death::kBadStore:
      truth.fault = true;
      break;
    case Death::kFaultFromOutside:
      kill(child, SIGSEGV);
      break;
    case Death::kAbort:
      kill(child, SIGABRT);
      break;
  }
}

void killAfter(std::chrono::microseconds delay, Death death,
               const std::string& directory, Truth& truth) {
  const pid_t child = fork();
  if (child == 0) recordForEver(optionsIn(directory), truth);
  waitUntilItRecords(truth);
  std::this_thread::sleep_for(delay);
  bringAbout(death, child, truth);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

// Expects that tracectl reports exactly those operations as ended whose rows
// show an end.
void expectStates(const RecoveredTrace& trace, const std::string& directory) {
  constexpr unsigned kShowsEnd = 1u << 2 | 1u << 3;  // done, wait
  const Ran ran = runTracectl("export --format jsonl " + tracesIn(directory));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  std::istringstream lines(ran.out);
  std::uint64_t operations = 0;
  for (std::string line; std::getline(lines, line); ++operations) {
    const auto json = nlohmann::json::parse(line);
    const unsigned kinds = trace.kinds_of.at(json["op_id"]);
    const bool failed = fails(json["seq"]) && (kinds & 2) != 0;
    const bool ended = (kinds & kShowsEnd) != 0;
    ASSERT_EQ(json["state"], failed ? "failed" : ended ? "ended" : "issued");
    ASSERT_EQ(json.contains("end_ns"), ended);
  }
  EXPECT_EQ(operations, trace.kinds_of.size());
}

TEST(KillTest, NothingPushedIsLostOrDuplicated) {
  const std::uint64_t kills = number("TRACED_KILLS", 30);
  const std::uint64_t seed = number("TRACED_SEED", std::random_device{}());
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> delay_us(0, 60'000);
  std::uint64_t killed = 0;
  std::uint64_t pushed = 0;
  std::uint64_t recovered = 0;
  for (std::uint64_t i = 0; i < kills && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", kill " +
                 std::to_string(i));
    const TempDir dir;
    const SharedTruth truth;
    killAfter(std::chrono::microseconds(delay_us(random)),
              kDeaths[i % std::size(kDeaths)], dir.path(), *truth);
    ASSERT_EQ(segmentsIn(dir.path()), 1u);
    const RecoveredTrace trace =
        bringBack(dir.path(), i % 3 == 0 ? By::kMerge : By::kRecover);
    EXPECT_EQ(segmentsIn(dir.path()), 0u);
    expectAllOf(*truth, trace);
    if (i % 10 == 0) expectStates(trace, dir.path());
    ++killed;
    pushed += truth->pushed();
    recovered += trace.rows;
  }
  std::cout << killed << " kills at random instants: " << pushed
            << " records committed, " << recovered << " in the traces\n";
}

}  // namespace
}  // namespace traced::testing
