#include "phrasing/standing_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

const char* kindText(StandingKind kind) {
  switch (kind) {
    case StandingKind::kUnknown:
      return "";
    case StandingKind::kStopped:
      return "stopped by a signal or a debugger";
    case StandingKind::kCollectsGarbage:
      return "in a garbage collection";
    case StandingKind::kWaitsForGil:
      return "waiting for the interpreter lock (GIL)";
    case StandingKind::kTeardown:
      return "shutting down";
    case StandingKind::kCompiles:
      return "compiling";
    case StandingKind::kLoadsData:
      return "loading data";
    case StandingKind::kCheckpoint:
      return "reading or writing a checkpoint";
    case StandingKind::kFile:
      return "waiting for a file";
    case StandingKind::kCommunicates:
      return "waiting in torch.distributed";
    case StandingKind::kLock:
      return "waiting for a lock or another thread";
    case StandingKind::kSleeps:
      return "sleeping";
    case StandingKind::kOtherProcess:
      return "waiting for another process";
    case StandingKind::kRuns:
      return "running";
  }
  return "";
}

}  // namespace

std::string doingText(const ThreadStanding& standing) {
  const std::string kind = kindText(standing.kind);
  const std::string call = printable(standing.waits_in);
  std::string text = kind.empty()   ? absl::StrCat("in ", call)
                     : call.empty() ? kind
                                    : absl::StrCat(kind, " (", call, ")");
  if (kind.empty() && call.empty()) text = "in no known system call";
  if (!standing.gil_holder.empty()) {
    absl::StrAppend(&text, ", which another thread holds at ",
                    printable(standing.gil_holder));
  }
  if (!standing.handling.empty()) {
    absl::StrAppend(&text, ", while handling ", printable(standing.handling));
  }
  return text;
}

std::string standingText(const ThreadStanding& standing) {
  std::string place =
      standing.site.empty()
          ? standing.innermost
          : absl::StrCat(standing.site,
                         standing.innermost.empty() ? "" : ", within ",
                         standing.innermost);
  return place.empty()
             ? doingText(standing)
             : absl::StrCat("at ", printable(place), ", ", doingText(standing));
}

const ThreadStanding* shownStanding(const RankState& rank) {
  const std::vector<ThreadStanding>& standings = rank.standings;
  const auto runs_python =
      std::find_if(standings.begin(), standings.end(),
                   [](const ThreadStanding& s) { return !s.frames.empty(); });
  if (runs_python != standings.end()) return &*runs_python;
  return standings.empty() ? nullptr : &standings.front();
}

std::string stoodText(const RankState& rank) {
  const auto text = [](std::uint64_t ns) {
    return secondsText(static_cast<std::int64_t>(ns));
  };
  const std::string frozen =
      rank.frozen_ns ? absl::StrCat(
                           " Its process had been stopped, or had got "
                           "no processor, for ",
                           text(*rank.frozen_ns), ".")
                     : "";
  const ThreadStanding* standing = shownStanding(rank);
  if (!standing) return frozen;
  constexpr std::uint64_t kLongNs = 1'000'000'000;
  return absl::StrCat(
      frozen, standing->is_main ? " It stood " : " One of its threads stood ",
      standingText(*standing),
      standing->samples == 1
          ? " when it was sampled"
          : absl::StrCat(", in ", standing->samples, " samples over ",
                         text(standing->stood_ns)),
      standing->before_end_ns >= kLongNs
          ? absl::StrCat(", the last ", text(standing->before_end_ns),
                         " before its trace ends")
          : "",
      ".");
}

}  // namespace traced
