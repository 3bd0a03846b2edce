#include "phrasing/warnings.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "analysis/stream/rank_list.h"
#include "base/utf8.h"

namespace traced {
namespace {

std::string reasonsText(const Loss& loss) {
  return absl::StrJoin(loss.reasons, ", ",
                       [](std::string* out, const auto& drop) {
                         absl::StrAppend(out, drop.first, " ", drop.second);
                       });
}

// Shared memory is visible only on the host, and in the container, of the
// process that made it.
std::string elsewhereText(std::vector<std::string> hosts) {
  constexpr std::size_t kMaxReported = 8;
  if (hosts.empty()) return " from the files alone";
  const std::size_t more = hosts.size() - std::min(hosts.size(), kMaxReported);
  hosts.resize(hosts.size() - more);
  return absl::StrCat(
      "; it may be in shared memory of host ", absl::StrJoin(hosts, ", "),
      more > 0 ? absl::StrCat(" and ", more, " more") : "",
      ", or of a container there, where `tracectl recover` brings it back,");
}

// Indexed by Loss::What. $0: the amount, $1: a detail that only this kind has.
constexpr const char* kLosses[] = {
    "$0 records dropped while recording ($1)",
    "$0 records written but not found",
    "$0 gaps between chunks",
    "$0 bytes of chunks refused for their content",
    "$0 chunks compressed in an unknown way",
    "$0 chunks whose columns differ in length",
    "$0 chunks that overlap others ignored",
    "$0 groups refused for impossible members",
    "$0 records overwritten before the dump, or left out of it",
    "killed; the last records were recovered",
    "killed; the last records were read from shared memory, and `tracectl "
    "recover` puts them into the files",
    "still running; what was recorded until now was read",
    "not closed (killed, still running, or the end of the file is lost), so "
    "how much is missing at the end is unknown$1",
    "Flight Recorder dumps, so later operations are unknown",
};

std::string exactMilliseconds(std::int64_t ns) {
  return absl::StrFormat("%.3f ms", static_cast<double>(ns) / 1e6);
}

}  // namespace

std::string lossText(const Loss& loss) {
  const std::string more = loss.what == Loss::What::kDropped ? reasonsText(loss)
                           : loss.what == Loss::What::kCutShort
                               ? elsewhereText(loss.hosts)
                               : "";
  return absl::StrCat(
      absl::Substitute(kLosses[static_cast<std::size_t>(loss.what)], loss.total,
                       more),
      " on ", ranksText(loss.ranks));
}

std::vector<std::string> lossTexts(const Losses& losses) {
  std::vector<std::string> texts;
  for (const Loss& loss : losses.all()) {
    texts.push_back(lossText(loss));
  }
  return texts;
}

std::string clockText(const ClockWarning& warning) {
  const std::string clock = absl::StrCat(
      "the clock of ", warning.host.empty() ? "the host" : warning.host,
      " (rank ", warning.rank, ")");
  if (!warning.stepped) {
    return absl::StrCat(
        clock,
        " could not be aligned: no operations bound it from both sides; it is "
        "placed by its wall clock, whose error is not known");
  }
  return absl::StrCat(
      clock, " stepped by about ", exactMilliseconds(warning.by_ns), " within ",
      exactMilliseconds(warning.within_ns),
      ": its bounds contradict each other there, and nothing between is "
      "compared with other hosts");
}

std::string absentRanksText(const RunSummary& summary) {
  const std::string absent = summary.absentRanks();
  if (absent.empty()) return "";
  return absl::StrCat("no trace of ranks ", absent, " (the job has ",
                      summary.worldSize(), " ranks)");
}

std::vector<std::string> allWarnings(const TraceSet& set,
                                     const RunSummary& summary) {
  std::vector<std::string> warnings = set.input_warnings;
  warnings.insert(warnings.end(), set.selection_warnings.begin(),
                  set.selection_warnings.end());
  for (const ClockWarning& warning : summary.clockWarnings()) {
    warnings.push_back(clockText(warning));
  }
  const std::string absent = absentRanksText(summary);
  if (!absent.empty()) warnings.push_back(absent);
  const std::vector<std::string> losses = lossTexts(summary.losses());
  warnings.insert(warnings.end(), losses.begin(), losses.end());
  for (std::string& warning : warnings) warning = toValidUtf8(warning);
  return warnings;
}

}  // namespace traced
