#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "cli/common/json.h"
#include "cli/common/subcommand.h"
#include "cli/inputs/left_over.h"
#include "phrasing/text.h"
#include "ring_io/recovery/recover_segments.h"

namespace traced {
namespace {

const char* outcomeName(RecoverOutcome outcome) {
  switch (outcome) {
    case RecoverOutcome::kRecovered:
      return "recovered";
    case RecoverOutcome::kLive:
      return "live";
    case RecoverOutcome::kUnreadable:
      return "unreadable";
    case RecoverOutcome::kUnwritable:
      return "unwritable";
    case RecoverOutcome::kDiscarded:
      return "discarded";
  }
  return "";
}

Json segmentJson(const RecoveredSegment& segment) {
  Json json = {{"segment", segment.path},
               {"outcome", outcomeName(segment.outcome)}};
  if (!segment.trace.empty()) {
    json["rank"] = segment.rank;
    json["job"] = segment.job;
    json["host"] = segment.host;
    json["pid"] = segment.pid;
    json["trace"] = segment.trace;
  }
  if (segment.outcome == RecoverOutcome::kRecovered) {
    json["records"] = segment.records;
    json["unfinished_slots"] = segment.unfinished_slots;
    json["broken_records"] = segment.broken_records;
  }
  if (!segment.why.empty()) json["why"] = segment.why;
  return json;
}

class Recover : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app.add_option("INPUT", options_.traces,
                   "Only rings of these traces or directories");
    app.add_option("--ring-dir", directories_,
                   "Folders to search instead of /dev/shm and TRACED_RING_DIR")
        ->allow_extra_args(false);
    app.add_flag("--dry-run", options_.dry_run, "Only report; change nothing");
    app.add_flag("--discard", options_.discard,
                 "Remove rings that cannot be recovered");
    app.add_flag("--json", json_,
                 "Write JSON, described in docs/reference/json.md");
    app.footer("Example: tracectl recover run42/");
  }

  ExitCode run() override {
    if (directories_.empty()) directories_ = ringDirectories();
    const std::vector<RecoveredSegment> all =
        recoverSegments(findSegments(directories_), options_);
    const auto live = static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), isLive));
    json_ ? printJson(all, live) : printText(all, live);
    return exitCode(all);
  }

 private:
  static bool isLive(const RecoveredSegment& segment) {
    return segment.outcome == RecoverOutcome::kLive;
  }

  static ExitCode exitCode(const std::vector<RecoveredSegment>& all) {
    const auto any = [&all](RecoverOutcome outcome) {
      return std::any_of(all.begin(), all.end(), [outcome](const auto& one) {
        return one.outcome == outcome;
      });
    };
    if (any(RecoverOutcome::kUnreadable)) return ExitCode::kNothingReadable;
    if (any(RecoverOutcome::kUnwritable)) return ExitCode::kInternal;
    return ExitCode::kFine;
  }

  void printText(const std::vector<RecoveredSegment>& all,
                 std::uint64_t live) const {
    for (const RecoveredSegment& segment : all) {
      if (isLive(segment)) continue;
      std::cout << sentenceAbout(segment, options_.dry_run) << "\n";
    }
    std::cout.flush();
    if (all.empty()) complain("nothing to recover");
    if (live > 0) {
      complain(absl::StrCat(countOf(live, "segment"), " in use, left alone"));
    }
  }

  void printJson(const std::vector<RecoveredSegment>& all,
                 std::uint64_t live) const {
    Json segments = Json::array();
    Json warnings = Json::array();
    for (const RecoveredSegment& segment : all) {
      if (isLive(segment)) continue;
      segments.push_back(segmentJson(segment));
      if (segment.outcome != RecoverOutcome::kRecovered) {
        warnings.push_back(sentenceAbout(segment, options_.dry_run));
      }
    }
    writeJson(std::cout, {{"schema", kJsonSchema},
                          {"dry_run", options_.dry_run},
                          {"live", live},
                          {"segments", segments},
                          {"warnings", warnings}});
    std::cout << "\n";
  }

  std::vector<std::string> directories_;
  RecoverOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> makeRecover() {
  return std::make_unique<Recover>();
}

}  // namespace traced
