#include "phrasing/whatif_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/stream/rank_list.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using whatif::Answer;
using whatif::Question;
using whatif::Refusal;
using whatif::WhatIf;

// A replay that is further off is reported as inaccurate.
constexpr double kMaxError = 0.02;

// Rounds like partText(), without the unit.
std::string roundedText(double part) {
  const double percent = 100 * part;
  if (std::abs(percent) >= 9.95) return absl::StrFormat("%.0f", percent);
  // Avoids "-0.0".
  const std::string text = absl::StrFormat("%.1f", percent);
  return text == "-0.0" ? "0.0" : text;
}

}  // namespace

std::string savesText(const whatif::Estimate& saves) {
  const bool longer = saves.value < 0;
  const double sign = longer ? -1 : 1;
  const std::string figure =
      absl::StrCat(partText(sign * saves.value), longer ? " longer" : " less");
  const std::string range = longer ? partRangeText(-saves.high, -saves.low)
                                   : partRangeText(saves.low, saves.high);
  return range == partText(sign * saves.value)
             ? figure
             : absl::StrCat(figure, ": ", range);
}

namespace {

const Answer* balanceOf(const WhatIf& result) {
  for (const Answer& answer : result.answers) {
    if (answer.question == Question::kBalance) return &answer;
  }
  return nullptr;
}

std::string causeSentence(const WhatIf& result) {
  const Answer* best = whatif::costliest(result);
  if (!best) {
    return absl::StrCat("No single rank's computing costs ",
                        partText(whatif::kWorthNaming), " of the run or more.");
  }
  std::string cause;
  if (best->question == Question::kRank) {
    cause = absl::StrCat("rank ", best->number, "'s extra computing");
  } else if (best->question == Question::kRanks) {
    cause = absl::StrCat("the extra computing of ", ranksText(best->ranks),
                         " together");
  } else {
    cause = absl::StrCat("the extra computing of pipeline stage ", best->number,
                         " (", ranksText(best->ranks), ")");
  }
  return absl::StrCat("Without ", cause, " the run would take ",
                      savesText(best->saves), ".");
}

std::string balanceSentence(const WhatIf& result) {
  const Answer* balance = balanceOf(result);
  if (!balance || !result.slowdown) return "";
  const std::string slowdown = absl::StrFormat(
      "%.2f times as long as necessary", result.slowdown->value);
  return absl::StrCat(
      "If all ranks computed equally long, and equal transfers took equally "
      "long, it would take ",
      savesText(balance->saves), ". The run took ", slowdown, ".");
}

std::string replaySentence(const WhatIf& result) {
  return absl::StrCat(
      "The replay of the unchanged run is ",
      absl::StrFormat("%.2f %%", 100 * whatif::replayError(result)),
      result.replayed_ns.value < result.measured_ns ? " shorter" : " longer",
      " than the run (",
      durationText(static_cast<std::uint64_t>(result.measured_ns)), ").");
}

std::string operationName(v1::Operation op) {
  return isPointToPoint(op) ? "messages" : nameOf(op);
}

}  // namespace

std::string partText(double part) { return roundedText(part) + " %"; }

std::string partRangeText(double low, double high) {
  const std::string from = roundedText(low);
  const std::string to = roundedText(high);
  return from == to ? to + " %" : absl::StrCat(from, " to ", to, " %");
}

std::vector<std::string> whatIfSentences(const WhatIf& result) {
  std::vector<std::string> sentences{causeSentence(result)};
  const std::string balance = balanceSentence(result);
  if (!balance.empty()) sentences.push_back(balance);
  sentences.push_back(replaySentence(result));
  return sentences;
}

std::string changeText(const Answer& answer, double network) {
  const std::string faster =
      absl::StrCat(network == 2 ? std::string("twice")
                                : absl::StrCat(threeDigits(network), " times"),
                   " as fast");
  switch (answer.question) {
    case Question::kRank:
      return absl::StrCat("rank ", answer.number, " computes like its peers");
    case Question::kRanks:
      return absl::StrCat(ranksText(answer.ranks), " compute like their peers");
    case Question::kBalance:
      return "all ranks compute, and equal transfers take, equally long";
    case Question::kStage:
      return absl::StrCat("pipeline stage ", answer.number, " (",
                          ranksText(answer.ranks),
                          ") computes like the mean stage");
    case Question::kNetwork:
      return absl::StrCat("all transfers are ", faster);
    case Question::kNetworkOfOperation:
      return absl::StrCat(operationName(answer.op), ": transfers are ", faster);
    case Question::kNetworkOfGroups:
      return absl::StrCat("group ", printable(answer.name), ": transfers are ",
                          faster);
    case Question::kNetworkOfNodes:
      return absl::StrCat("messages between ", printable(answer.name), " and ",
                          printable(answer.other_name), " are ", faster);
    case Question::kOverlap:
      return "collectives overlap with computing until the end of the step";
  }
  return "";
}

std::string pathPartText(const whatif::PathPart& part) {
  std::vector<std::string> details;
  if (part.bytes > 0) details.push_back(bytesText(part.bytes));
  if (!part.group.empty()) {
    details.push_back(absl::StrCat("\"", printable(part.group), "\""));
  }
  const std::string operation =
      absl::StrCat(nameOf(part.op), details.empty() ? "" : " (",
                   absl::StrJoin(details, ", "), details.empty() ? "" : ")");
  switch (part.what) {
    case whatif::PathPart::What::kComputing:
      return absl::StrCat("rank ", part.rank, " computes before ", operation);
    case whatif::PathPart::What::kTransfer:
      return absl::StrCat("transfer of ", operation);
    case whatif::PathPart::What::kUnexplained:
      return absl::StrCat("rank ", part.rank, " in ", operation,
                          " after its end");
  }
  return "";
}

std::vector<std::string> whatIfNotes(const WhatIf& result) {
  const whatif::Doubts& doubts = result.doubts;
  std::vector<std::string> notes;
  const auto note = [&](auto&&... parts) {
    notes.push_back(absl::StrCat(parts...));
  };
  if (whatif::replayError(result) > kMaxError) {
    note("The replay is inaccurate: it is more than ", partText(kMaxError),
         " off. Treat the answers as estimates.");
  }
  if (!doubts.missing_ranks.empty()) {
    note("Nothing is known about ", ranksText(doubts.missing_ranks),
         ": without a trace, waiting for them counts as transfer.");
  }
  if (!doubts.lossy_ranks.empty()) {
    note("Records of ", ranksText(doubts.lossy_ranks),
         " are lost: lost operations count as computing.");
  }
  if (doubts.unfinished > 0) {
    note(countOf(doubts.unfinished, "operation"), " of ",
         ranksText(doubts.unfinished_ranks),
         " never ended. The answers cover the time before; `tracectl "
         "diagnose` explains a hang.");
  }
  if (doubts.failed > 0) {
    note(countOf(doubts.failed, "operation"),
         " failed. Their time counts as computing.");
  }
  if (result.forced > 0) {
    note("Ranks seem to wait for each other in a circle in ",
         countOf(result.forced, "place"),
         ": the records do not show how they continued.");
  }
  if (!result.without_peers.empty()) {
    note("No answer for ", ranksText(result.without_peers),
         ": no other rank executes the same operations in most steps.");
  }
  if (result.replayed_ranks < result.comparable_ranks) {
    note("Only the ", result.replayed_ranks, " of ", result.comparable_ranks,
         " ranks with the most extra computing were replayed.");
  }
  if (doubts.unseen_waits > 0) {
    note(countOf(doubts.unseen_waits, "operation"),
         " have no recorded wait: the ranges cover both that the program "
         "waited for them and that it did not.");
  }
  if (doubts.late_ends > 0) {
    note("The ends of ", countOf(doubts.late_ends, "operation"),
         " are upper bounds: their transfers may have been shorter.");
  }
  if (doubts.unmatched > 0) {
    note(countOf(doubts.unmatched, "operation"),
         " cannot be matched between ranks and take as long as they took.");
  }
  if (doubts.paused) {
    note("Tracing was switched off for a time, which counts as computing.");
  }
  if (result.path.steps == 0) {
    note(
        "The run marks no steps and counts as one step. traced.step() marks "
        "them.");
  }
  return notes;
}

std::string refusalText(const WhatIf& result) {
  switch (result.refusal.value_or(Refusal::kNoOperations)) {
    case Refusal::kNoOperations:
      return "The run has no operations to replay.";
    case Refusal::kOneRank:
      return "Only one rank has operations. A what-if question compares "
             "ranks; give the traces of all ranks.";
    case Refusal::kUntimed:
      return "The run cannot be replayed: when its operations ran on the "
             "device is unknown. Record it with TRACED_DEVICE_TIME=full.";
    case Refusal::kClocks:
      return "The run cannot be replayed: the clocks of its hosts are not "
             "aligned, so who waited for whom is unknown. Clocks align if "
             "ranks of both hosts take part in the same operations.";
  }
  return "";
}

}  // namespace traced
