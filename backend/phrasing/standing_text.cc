#include "phrasing/standing_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Returns "" if the system call alone says what is known.
const char* kindText(StandingKind kind) {
  switch (kind) {
    case StandingKind::kUnknown:
      return "";
    case StandingKind::kStopped:
      return "stopped by a signal or a debugger";
    case StandingKind::kCollectsGarbage:
      return "in a finalizer of a garbage collection";
    case StandingKind::kWaitsForGil:
      return "waiting for the interpreter lock";
    case StandingKind::kTeardown:
      return "destroying a process group";
    case StandingKind::kCompiles:
      return "in a compiler";
    case StandingKind::kLoadsData:
      return "in a data loader";
    case StandingKind::kCheckpoint:
      return "in checkpoint code";
    case StandingKind::kRuns:
      return "running";
    case StandingKind::kSleeps:
      return "sleeping";
    case StandingKind::kCommunicates:
      return "waiting in torch.distributed";
    case StandingKind::kLock:
      return "waiting for a lock or another thread";
    case StandingKind::kEvent:
      return "waiting for an event";
    case StandingKind::kChildProcess:
      return "waiting for a child process";
    case StandingKind::kFile:
      return "waiting for a file";
    case StandingKind::kDevice:
      return "waiting for a device or terminal";
    case StandingKind::kUninterruptible:
      return "in an uninterruptible wait of the kernel";
  }
  return "";
}

// `call`: the system call, with or without its file.
std::string doingIn(const ThreadStanding& standing, std::string_view call) {
  const std::string kind = kindText(standing.kind);
  const std::string printed = printable(call);
  if (kind.empty() && printed.empty()) return "no system call was seen";
  if (kind.empty()) return absl::StrCat("in ", printed);
  // The lock says more than its futex.
  const bool has_call =
      !printed.empty() && standing.kind != StandingKind::kWaitsForGil;
  return has_call ? absl::StrCat(kind, " (", printed, ")") : kind;
}

// Returns "at /job/train.py:7 in next_batch, ", or "" if unknown.
std::string placePrefix(const ThreadStanding& standing) {
  const std::string place =
      standing.site.empty()
          ? standing.innermost
          : absl::StrCat(standing.site,
                         standing.innermost.empty() ? "" : ", within ",
                         standing.innermost);
  return place.empty() ? "" : absl::StrCat("at ", printable(place), ", ");
}

}  // namespace

std::string doingText(const ThreadStanding& standing) {
  std::string text = doingIn(standing, standing.waits_in);
  if (!standing.gil_holder.empty()) {
    absl::StrAppend(&text, " (GIL), which another thread holds at ",
                    printable(standing.gil_holder));
  }
  if (standing.collects && standing.kind == StandingKind::kRuns) {
    text += " while a garbage collection was under way";
  }
  if (!standing.handling.empty()) {
    absl::StrAppend(&text, ", while handling ", printable(standing.handling));
  }
  return text;
}

std::string standingText(const ThreadStanding& standing) {
  return placePrefix(standing) + doingText(standing);
}

std::string sharedPlaceText(const ThreadStanding& standing) {
  return placePrefix(standing) + doingIn(standing, callOf(standing.waits_in));
}

const ThreadStanding* shownStanding(const RankState& rank) {
  const std::vector<ThreadStanding>& standings = rank.standings;
  const auto first = [&standings](bool issued_last) {
    return std::find_if(standings.begin(), standings.end(),
                        [issued_last](const ThreadStanding& s) {
                          return !s.frames.empty() &&
                                 (s.issued_last || !issued_last);
                        });
  };
  for (const bool issued_last : {true, false}) {
    const auto found = first(issued_last);
    if (found != standings.end()) return &*found;
  }
  return standings.empty() ? nullptr : &standings.front();
}

namespace {

std::string nsText(std::uint64_t ns) {
  return secondsText(static_cast<std::int64_t>(ns));
}

}  // namespace

std::string stoodText(const RankState& rank) {
  constexpr std::uint64_t kLongNs = 1'000'000'000;
  std::string text;
  if (rank.frozen_ns) {
    absl::StrAppend(&text,
                    " Its process had been stopped, or had got no processor, "
                    "for ",
                    nsText(*rank.frozen_ns), ".");
  }
  const ThreadStanding* const standing = shownStanding(rank);
  if (!standing) return text;
  const bool once = standing->samples == 1;
  absl::StrAppend(
      &text, standing->is_main ? " It was " : " Its thread was ",
      standingText(*standing),
      once ? " when it was sampled"
           : absl::StrCat(", in ", standing->samples, " samples over ",
                          nsText(standing->stood_ns)));
  if (standing->before_end_ns >= kLongNs) {
    absl::StrAppend(&text, once ? ", " : ", the last ",
                    nsText(standing->before_end_ns), " before its trace ends");
  }
  return text + ".";
}

}  // namespace traced
