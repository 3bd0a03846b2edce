// Selects and formats the verdicts that `tracectl diagnose --follow` reports.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"

namespace traced {

// FollowLog decides which verdicts about a running job are reported, and when.
// A blocked operation may still proceed, so several polls must confirm it.
class FollowLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit FollowLog(std::chrono::nanoseconds patience) : patience_(patience) {}

  // A verdict of one poll, and whether time alone may resolve it.
  struct Finding {
    JobVerdict verdict;
    // Summary that uses the groups known at that poll.
    std::string summary;
    // Stable identifier: the same verdict has the same name in every poll.
    std::string name;
    bool may_pass = false;
  };

  struct News {
    std::vector<Finding> found;
    // Reported earlier, and no longer true.
    std::vector<Finding> over;
  };
  // State of the job at a poll. kEndedInOrder: every rank closed its trace. The
  // first poll that is not kRuns is the last one.
  enum class Job { kRuns, kEnded, kEndedInOrder };
  // Returns the news of this poll. Call it once per poll.
  News update(std::vector<Finding> findings, Time now, Job job);

  bool hasReported() const { return any_reported_; }

 private:
  struct Known {
    Finding finding;
    Time since;
    int polls = 0;
    // Consecutive polls in which nothing could resolve the verdict. Processes
    // are sampled after the trace is read. An idle process may just have
    // finished the operation that others wait for.
    int still = 0;
    bool reported = false;
  };

  const std::chrono::nanoseconds patience_;
  std::map<std::string, Known> known_;
  bool any_reported_ = false;
};

// Returns the current time: "2026-11-22 14:02:16 UTC".
std::string timeText();
// Returns the line that a reported verdict is no longer true.
std::string overText(const std::string& summary);

// Return JSON objects on one line, without a newline; see
// docs/reference/json.md.
std::string verdictLineJson(const JobState& job, const JobVerdict& verdict,
                            bool stock_names);
std::string overJson(const JobVerdict& verdict, const std::string& summary);
std::string endJson(const std::set<std::uint32_t>& culprits);

}  // namespace traced
