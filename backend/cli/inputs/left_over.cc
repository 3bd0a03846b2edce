#include "cli/inputs/left_over.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "phrasing/text.h"

namespace traced {
namespace {

std::string who(const RecoveredSegment& segment) {
  if (segment.trace.empty()) return segment.path;
  return absl::StrCat("rank ", segment.rank, " of job ", segment.job);
}

std::string recoveredText(const RecoveredSegment& segment, bool dry_run) {
  std::string text =
      segment.records == 0
          ? absl::StrCat("nothing was missing in ", segment.trace)
          : absl::StrCat(
                countOf(segment.records, "record"),
                dry_run ? " can be brought back into " : " brought back into ",
                segment.trace);
  if (segment.unfinished_slots > 0) {
    absl::StrAppend(&text, ", ", countOf(segment.unfinished_slots, "slot"),
                    " unfinished");
  }
  if (segment.broken_records > 0) {
    absl::StrAppend(&text, ", ", countOf(segment.broken_records, "record"),
                    " damaged");
  }
  return text;
}

}  // namespace

std::vector<std::string> ringDirectories() {
  std::vector<std::string> directories = {"/dev/shm"};
  const char* set = std::getenv("TRACED_RING_DIR");
  if (set && *set && directories[0] != set) directories.emplace_back(set);
  return directories;
}

std::string sentenceAbout(const RecoveredSegment& segment, bool dry_run) {
  if (segment.outcome == RecoverOutcome::kRecovered) {
    return printable(
        absl::StrCat(who(segment), ": ", recoveredText(segment, dry_run)));
  }
  const bool discarded = segment.outcome == RecoverOutcome::kDiscarded;
  return printable(absl::StrCat(
      who(segment), ": not recovered, ", segment.why, "; ",
      discarded ? "removed" : absl::StrCat("kept in ", segment.path)));
}

std::vector<std::string> recoverInputs(const std::vector<std::string>& inputs) {
  RecoverOptions options;
  options.traces = inputs;
  std::vector<std::string> warnings;
  for (const RecoveredSegment& segment :
       recoverSegments(findSegments(ringDirectories()), options)) {
    if (segment.outcome == RecoverOutcome::kLive) continue;
    const std::string sentence = sentenceAbout(segment, false);
    if (segment.outcome == RecoverOutcome::kRecovered) {
      std::cerr << "tracectl: recovered: " << sentence << "\n";
    } else {
      warnings.push_back(sentence);
    }
  }
  return warnings;
}

}  // namespace traced
