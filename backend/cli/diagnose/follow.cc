#include "cli/diagnose/follow.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/reading/stream_selection.h"
#include "base/clock.h"
#include "cli/diagnose/follow_log.h"
#include "cli/diagnose/process_activity.h"
#include "cli/inputs/live_set.h"
#include "phrasing/action_text.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::nanoseconds kMinPause{100'000'000};
constexpr std::chrono::nanoseconds kMaxPause{1'000'000'000};
// The pause as a multiple of a poll's CPU time, which limits polling to a tenth
// of a core. Wall time would be misleading on a busy machine.
constexpr int kPausesPerPoll = 9;
// Compressed bytes read from each trace: some hundred thousand operations.
constexpr std::uint64_t kWindowBytes = 4 << 20;

std::chrono::nanoseconds processorTime() {
  return std::chrono::nanoseconds(readClock(CLOCK_PROCESS_CPUTIME_ID));
}

std::string nameOfFinding(const JobState& job, const JobVerdict& verdict) {
  std::string name = absl::StrCat(
      nameOf(verdict.kind), "|",
      verdict.group == GroupCatalog::kNone ? ""
                                           : job.catalog.label(verdict.group),
      "|", verdict.seq, "|", absl::StrJoin(verdict.culprits, ","));
  if (verdict.pair) {
    absl::StrAppend(&name, "|", verdict.pair->first, ">", verdict.pair->second);
  }
  return name;
}

class Follower {
 public:
  explicit Follower(const FollowOptions& options)
      : options_(options),
        set_(options.inputs),
        log_(options.busy_after),
        pause_(std::clamp(
            std::chrono::nanoseconds(options.diagnosis.hung_after_ns / 5),
            kMinPause, kMaxPause)) {}

  ExitCode run() {
    for (;;) {
      const auto began = steady_clock::now();
      const auto used = processorTime();
      const bool over = poll();
      const bool enough = options_.until_verdict && log_.hasReported();
      if (over || enough) break;
      // Pauses at least as long as the poll took, because files may be slow to
      // read.
      const std::chrono::nanoseconds took = steady_clock::now() - began;
      std::this_thread::sleep_for(
          std::max({pause_, took, (processorTime() - used) * kPausesPerPoll}));
    }
    if (options_.json) std::cout << endJson(culprits_) << std::endl;
    return log_.hasReported() ? ExitCode::kFindings : ExitCode::kFine;
  }

 private:
  // Polls the job once. Returns true if the job has ended.
  bool poll() {
    // Later polls read only the end of each trace.
    Result<TraceSet> set = set_.refresh();
    if (!set) {
      reportWaiting();
      return false;
    }
    if (polled_) keepLatest(*set, kWindowBytes);
    Diagnosis diagnosis = diagnose(*set, options_.diagnosis);
    bool last = isOver(*set, diagnosis.job);
    if (last && polled_) {
      set = set_.refresh();
      if (!set) return true;
      diagnosis = diagnose(*set, options_.diagnosis);
      last = isOver(*set, diagnosis.job);
    }
    polled_ = true;
    processes_.sample(set_.rings());
    FollowLog::News news =
        log_.update(findingsOf(diagnosis), steady_clock::now(),
                    last ? endOf(diagnosis.job) : FollowLog::Job::kRuns);
    report(*set, diagnosis, std::move(news));
    return last;
  }

  void reportWaiting() {
    if (std::exchange(waiting_, true)) return;
    std::cerr << "tracectl: waiting for traces in " << options_.title << "\n";
  }

  // Returns true if every process that left a trace has ended.
  bool isOver(const TraceSet& set, const JobState& job) {
    bool over = true;
    std::vector<std::uint32_t> unseen;
    for (std::size_t i = 0; i < set.selected.size(); ++i) {
      const v1::Header& header = set.streams[set.selected[i]].header;
      const auto is_it = [&header](const RingReading& ring) {
        return ring.stream_id == header.stream_id();
      };
      const auto ring =
          std::find_if(set_.rings().begin(), set_.rings().end(), is_it);
      if (job.ranks[i].endKnown()) continue;
      if (ring != set_.rings().end()) {
        over &= !ring->alive;
        continue;
      }
      const ProcessLife life = lifeOf(header, here_);
      over &= life == ProcessLife::kEnded;
      if (life == ProcessLife::kUnseen) unseen.push_back(header.rank());
    }
    reportUnseen(unseen);
    return over;
  }

  void reportUnseen(const std::vector<std::uint32_t>& ranks) {
    if (ranks.empty() || std::exchange(unseen_reported_, true)) return;
    std::cerr << "tracectl: note: whether " << ranksVerb(ranks, "lives", "live")
              << " is unknown here (another host, or a container with its own "
                 "process ids): followed until the trace ends\n";
  }

  static FollowLog::Job endOf(const JobState& job) {
    const bool in_order =
        std::all_of(job.ranks.begin(), job.ranks.end(),
                    [](const RankState& rank) { return rank.closed; });
    return in_order ? FollowLog::Job::kEndedInOrder : FollowLog::Job::kEnded;
  }

  std::vector<FollowLog::Finding> findingsOf(const Diagnosis& diagnosis) {
    std::vector<FollowLog::Finding> findings;
    for (const JobVerdict& verdict : diagnosis.verdicts) {
      // Skips past lateness: it was reported while the others waited, or was
      // too short for that.
      if (verdict.kind == VerdictKind::kLate) continue;
      FollowLog::Finding finding{verdict, summaryOf(diagnosis.job, verdict),
                                 nameOfFinding(diagnosis.job, verdict)};
      finding.may_pass = mayPass(verdict);
      for (const std::uint32_t rank : verdict.culprits) {
        const auto now = processes_.now(rank);
        if (now) finding.verdict.reasons.push_back(*now);
      }
      findings.push_back(std::move(finding));
    }
    return findings;
  }

  // Returns true if time may resolve the verdict: a computing process may join,
  // or a file may appear.
  bool mayPass(const JobVerdict& verdict) const {
    if (verdict.kind == VerdictKind::kUndecided) return true;
    if (verdict.kind != VerdictKind::kNeverJoined &&
        verdict.kind != VerdictKind::kP2pUnpaired) {
      return false;
    }
    return std::any_of(
        verdict.culprits.begin(), verdict.culprits.end(),
        [this](std::uint32_t rank) { return processes_.mayJoin(rank); });
  }

  void report(const TraceSet& set, Diagnosis& diagnosis, FollowLog::News news) {
    diagnosis.verdicts.clear();
    for (FollowLog::Finding& found : news.found) {
      diagnosis.verdicts.push_back(std::move(found.verdict));
    }
    for (const JobVerdict& verdict : diagnosis.verdicts) {
      culprits_.insert(verdict.culprits.begin(), verdict.culprits.end());
    }
    if (options_.action) return reportActions(diagnosis);
    const JobState& job = diagnosis.job;
    for (const FollowLog::Finding& over : news.over) {
      std::cout << (options_.json ? overJson(over.verdict, over.summary)
                                  : overText(over.summary))
                << std::endl;
    }
    if (diagnosis.verdicts.empty()) return;
    if (options_.json) {
      for (const JobVerdict& verdict : diagnosis.verdicts) {
        std::cout << verdictLineJson(job, verdict, options_.text.stock_names)
                  << std::endl;
      }
    } else {
      std::cout << timeText() << "\n"
                << diagnoseText(options_.title, set, diagnosis, options_.text)
                << std::endl;
    }
  }

  static void reportActions(const Diagnosis& diagnosis) {
    for (const JobVerdict& verdict : diagnosis.verdicts) {
      std::cout << actionLine(actionFor(diagnosis.job, verdict)) << std::endl;
    }
  }

  const FollowOptions& options_;
  LiveSet set_;
  FollowLog log_;
  RankProcesses processes_;
  const HostInfo here_ = readHostInfo();
  const std::chrono::nanoseconds pause_;
  std::set<std::uint32_t> culprits_;
  bool polled_ = false;
  bool waiting_ = false;
  bool unseen_reported_ = false;
};

}  // namespace

ExitCode follow(const FollowOptions& options) {
  return Follower(options).run();
}

}  // namespace traced
