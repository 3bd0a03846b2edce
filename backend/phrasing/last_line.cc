#include "phrasing/last_line.h"

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/verdicts/actions.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"

namespace traced {
namespace {

std::string command(const std::string& title) {
  return absl::StrCat("tracectl diagnose ", shellWord(title));
}

}  // namespace

std::string verdictLine(const JobState& job, const JobVerdict& verdict,
                        const std::string& title) {
  const RecommendedAction action = actionFor(job, verdict);
  const std::string advice =
      action.action() == Action::kNone
          ? ""
          : absl::StrCat("  action: ", nameOf(action.action()), " (",
                         nameOf(action.confidence), ")");
  return absl::StrCat(headlineOf(job, verdict), advice,
                      "  proof: ", command(title));
}

std::string plainLine(const EndedStreams& job, const std::string& title) {
  std::string text =
      absl::StrCat(job.unclosed, " of ", countOf(job.streams, "rank"),
                   " of this host ended without closing ",
                   job.unclosed == 1 ? "its trace" : "their traces", "; ");
  if (job.lost > 0) {
    absl::StrAppend(&text, "what ", job.lost,
                    " of them left is lost: somebody removed ",
                    job.lost == 1 ? "its ring and its trace. "
                                  : "their rings and their traces. ",
                    command(title));
    return text;
  }
  if (job.unsaved > 0) {
    absl::StrAppend(&text, "what ", job.unsaved,
                    " of them left could not be saved and stays in shared "
                    "memory: tracectl recover ",
                    shellWord(title));
    return text;
  }
  if (job.being_saved > 0) {
    absl::StrAppend(&text, "their records are being saved. ");
  } else if (job.dropped_records > 0) {
    absl::StrAppend(&text, "their records were saved, but ",
                    countOf(job.dropped_records, "record"),
                    " had been dropped before. ");
  } else {
    absl::StrAppend(&text, "all was saved. ");
  }
  absl::StrAppend(&text, command(title));
  return text;
}

}  // namespace traced
