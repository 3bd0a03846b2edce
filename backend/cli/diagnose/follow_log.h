// What tracectl diagnose --follow tells: which verdicts about a running job,
// when, and how.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"

namespace traced {

// FollowLog decides which verdicts about a running job are told, and when. What
// stands still for a moment may go on, so each is looked at more than once.
class FollowLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit FollowLog(std::chrono::nanoseconds patience) : patience_(patience) {}

  // A verdict at a look, and whether time alone may settle it.
  struct Finding {
    JobVerdict verdict;
    // What happened, by the groups as they were known at that look.
    std::string summary;
    // The same verdict has the same name at each look.
    std::string name;
    bool may_pass = false;
  };

  struct News {
    std::vector<Finding> found;
    // Told earlier, and no longer so.
    std::vector<Finding> over;
  };
  // How far the job is at a look: after the others there is none.
  enum class Job { kRuns, kEnded, kEndedInOrder };
  // What is to be told of this look.
  News update(std::vector<Finding> findings, Time now, Job job);

  bool hasReported() const { return any_reported_; }

 private:
  struct Known {
    Finding finding;
    Time since;
    int looks = 0;
    // In a row until now, at which nothing may settle it. A process is looked
    // at after the trace: one that rests may just have done what is waited for.
    int still = 0;
    bool told = false;
  };

  const std::chrono::nanoseconds patience_;
  std::map<std::string, Known> known_;
  bool any_reported_ = false;
};

// "2026-11-22 14:02:16 UTC": now.
std::string timeText();
// That what was told earlier is no longer so.
std::string overText(const std::string& summary);

// Objects of one line; see docs/reference/json.md.
std::string verdictLineJson(const JobState& job, const JobVerdict& verdict,
                            bool stock_names);
std::string overJson(const JobVerdict& verdict, const std::string& summary);
std::string endJson(const std::set<std::uint32_t>& culprits);

}  // namespace traced
