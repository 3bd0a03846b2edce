#include "phrasing/compare_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using Level = CompareFinding::Level;

std::string signedPercent(double part) {
  return (part < 0 ? "-" : "") + percentNumber(part);
}

const char* unitOf(const Comparison& comparison) {
  return comparison.stepped ? "a step" : "a run";
}

std::string sentenceOf(const Comparison& comparison, const ComparedKey& key,
                       const Change& change, const Quote& quote) {
  std::string text = absl::StrCat(
      partText(change.part, keyText(key.key, quote), unitOf(comparison)), " ");
  if (isTime(change.part)) {
    absl::StrAppend(&text, changeText(change), ", from ",
                    valueText(change.part, change.before), " to ",
                    valueText(change.part, change.after));
  } else {
    absl::StrAppend(&text, "went from ", valueText(change.part, change.before),
                    " to ", valueText(change.part, change.after));
  }
  if (change.culprit) {
    absl::StrAppend(&text, ", caused by rank ", *change.culprit);
  }
  if (change.sooner) {
    absl::StrAppend(&text, ": overlap was lost, the wait begins ",
                    millisecondsText(change.sooner->after_ns),
                    " ms after the call and began ",
                    millisecondsText(change.sooner->before_ns), " ms after it");
  }
  if (change.perhaps_follows) {
    absl::StrAppend(&text, ", perhaps because of ",
                    quote(causeText(change.perhaps_follows)),
                    change.part == RunPart::kWaitForPeers
                        ? ": how long ranks compute varies too much"
                        : ", which varies too much to judge");
  }
  if (change.part == RunPart::kStep && change.kind == ChangeKind::kWorse &&
      !change.follows) {
    absl::StrAppend(&text,
                    ", and no part of communication explains that: computing, "
                    "or what is not recorded");
  }
  return text;
}

// All calls of one operation on one group that only one side has.
struct OneKind {
  std::vector<const OneSided*> gone, fresh;
};

std::set<std::string> dtypesOf(const std::vector<const OneSided*>& all) {
  std::set<std::string> dtypes;
  for (const OneSided* one : all) dtypes.insert(one->key.dtype);
  return dtypes;
}

std::string callsText(const std::vector<const OneSided*>& all,
                      const Quote& quote) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> texts;
  for (const OneSided* one : all) {
    if (texts.size() == kShown) {
      texts.push_back(absl::StrCat(all.size() - kShown, " more"));
      break;
    }
    texts.push_back(absl::StrCat(valueText(RunPart::kCalls, one->calls), " x ",
                                 quote(one->key.size), " ",
                                 quote(one->key.dtype)));
  }
  return absl::StrJoin(texts, ", ");
}

// Returns true if both sides have the operation on the group, in any size.
bool bothHave(const Comparison& comparison, const OneKind& kind) {
  const OneSided& any = kind.fresh.empty() ? *kind.gone[0] : *kind.fresh[0];
  return std::any_of(comparison.keys.begin(), comparison.keys.end(),
                     [&](const ComparedKey& key) {
                       return key.key && key.key->op == any.key.op &&
                              key.key->group == any.key.group;
                     });
}

CompareFinding findingOf(const OneKind& kind, const Comparison& comparison,
                         const Quote& quote) {
  CompareFinding finding;
  finding.level = Level::kWorse;
  const OneSided& any = kind.fresh.empty() ? *kind.gone[0] : *kind.fresh[0];
  finding.site = any.site;
  const std::string what =
      absl::StrCat("on ", quote(any.key.group), ", ", quote(any.key.op));
  const auto before = dtypesOf(kind.gone), after = dtypesOf(kind.fresh);
  const char* unit = unitOf(comparison);
  if (kind.gone.empty()) {
    const bool known = bothHave(comparison, kind);
    finding.rule = known ? "size" : "new";
    finding.text = absl::StrCat(
        what, known ? " also has other sizes or dtypes: " : " is new: ",
        callsText(kind.fresh, quote), " in ", unit);
  } else if (kind.fresh.empty()) {
    const bool known = bothHave(comparison, kind);
    finding.rule = known ? "size" : "gone";
    finding.text = absl::StrCat(
        what,
        known ? " no longer has some sizes or dtypes: " : " no longer occurs: ",
        callsText(kind.gone, quote), " in ", unit);
  } else if (before != after) {
    finding.rule = "dtype";
    finding.text = absl::StrCat(
        what, " is ", quote(absl::StrJoin(after, ", ")), " where it was ",
        quote(absl::StrJoin(before, ", ")), ": ", callsText(kind.fresh, quote),
        " in ", unit, " instead of ", callsText(kind.gone, quote));
  } else {
    finding.rule = "size";
    finding.text =
        absl::StrCat(what, " has other sizes: ", callsText(kind.fresh, quote),
                     " in ", unit, " instead of ", callsText(kind.gone, quote));
  }
  return finding;
}

void addOneSided(const Comparison& comparison, const Quote& quote,
                 std::vector<CompareFinding>& findings) {
  std::map<std::pair<std::string, std::string>, OneKind> kinds;
  for (const OneSided& one : comparison.one_sided) {
    OneKind& kind = kinds[{one.key.op, one.key.group}];
    (one.in_base ? kind.gone : kind.fresh).push_back(&one);
  }
  for (const auto& [key, kind] : kinds) {
    findings.push_back(findingOf(kind, comparison, quote));
  }
  for (const Regrouped& role : comparison.regrouped) {
    findings.push_back(
        {Level::kWorse,
         absl::StrCat("the groups ", quote(role.group), " are ",
                      quote(role.after), " and were ", quote(role.before)),
         "", "", "groups"});
  }
}

// Returns the change of the step if it is undecided whether the step became
// longer by more than the floor.
const Change* openStep(const Comparison& comparison) {
  for (const ComparedKey& key : comparison.keys) {
    for (const Change& change : key.changes) {
      const bool is_open = change.kind == ChangeKind::kOpen;
      if (change.part == RunPart::kStep && is_open) return &change;
    }
  }
  return nullptr;
}

Level levelOf(ChangeKind kind) {
  return kind == ChangeKind::kWorse    ? Level::kWorse
         : kind == ChangeKind::kBetter ? Level::kBetter
                                       : Level::kChanged;
}

// Returns the first finding as a sentence, with the counts of further causes
// and of consequences. `reasons` includes the first one.
std::string worseSentence(const std::string& first, std::size_t reasons,
                          std::size_t following) {
  std::string text = first;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  absl::StrAppend(&text, ".");
  if (reasons > 1) {
    absl::StrAppend(&text, " ", countOf(reasons - 1, "more change"),
                    " for the worse.");
  }
  if (following > 0) {
    absl::StrAppend(&text, " ", countOf(following, "figure"),
                    following == 1 ? " follows" : " follow", " from that.");
  }
  return text;
}

// Returns the sort rank of a change: causes of a slowdown, then consequences,
// other changes, improvements, undecided ones.
int rankOf(const Change& change) {
  switch (change.kind) {
    case ChangeKind::kWorse:
      return change.follows ? 1 : 0;
    case ChangeKind::kOther:
      return 2;
    case ChangeKind::kBetter:
      return 3;
    case ChangeKind::kOpen:
      return 4;
    case ChangeKind::kNone:
      break;
  }
  return 5;
}

// Returns the increase as a fraction of a step.
double cost(const Change& change) {
  return change.share * (std::exp(change.log_ratio.estimate) - 1);
}

}  // namespace

std::string percentNumber(double part) {
  const double percent = 100 * std::abs(part);
  return absl::StrFormat("%.*f", percent < 9.95 ? 1 : 0, percent);
}

std::string partText(RunPart part, const std::string& name, const char* unit) {
  switch (part) {
    case RunPart::kOwnCall:
      return "the program's own call of " + name;
    case RunPart::kWaitForPeers:
      return "waiting for peers in " + name;
    case RunPart::kTransfer:
      return "transfer of " + name;
    case RunPart::kExposed:
      return "the program's wait for " + name;
    case RunPart::kStep:
      return unit;
    case RunPart::kInFlight:
      return "bytes in flight";
    default:
      return absl::StrCat(nameOf(part), " of ", name, " in ", unit,
                          " of all ranks");
  }
}

std::string changeText(const Change& change) {
  const double ratio = change.ratio();
  if (ratio >= 2) {
    return absl::StrCat("became ", threeDigits(ratio), " times as long (",
                        threeDigits(change.low()), " to ",
                        threeDigits(change.high()), " times)");
  }
  return absl::StrCat("became ", percentNumber(ratio - 1), " % ",
                      ratio < 1 ? "shorter" : "longer", " (",
                      signedPercent(change.low() - 1), " to ",
                      signedPercent(change.high() - 1), " %)");
}

std::string valueText(RunPart part, double value) {
  if (part == RunPart::kBytes || part == RunPart::kInFlight) {
    return bytesText(static_cast<std::uint64_t>(std::llround(value)));
  }
  if (part == RunPart::kCalls) {
    return value == std::floor(value)
               ? groupedText(static_cast<std::uint64_t>(value))
               : absl::StrFormat("%.2f", value);
  }
  return millisecondsText(value) + " ms";
}

std::string keyText(const std::optional<RunKey>& key, const Quote& quote) {
  return key ? quote(nameOf(*key)) : "all operations";
}

std::vector<CompareRow> compareRows(const Comparison& comparison) {
  std::vector<CompareRow> rows;
  for (const ComparedKey& key : comparison.keys) {
    for (const Change& change : key.changes) rows.push_back({&key, &change});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CompareRow& a, const CompareRow& b) {
                     const auto order = [](const CompareRow& row) {
                       const bool counts = isCount(row.change->part);
                       return std::tuple(rankOf(*row.change), !counts,
                                         -std::abs(cost(*row.change)));
                     };
                     return order(a) < order(b);
                   });
  return rows;
}

std::vector<CompareFinding> compareFindings(const Comparison& comparison,
                                            const Quote& quote) {
  std::vector<CompareFinding> findings;
  if (!comparison.has_verdict) return findings;
  addOneSided(comparison, quote, findings);
  for (const CompareRow& row : compareRows(comparison)) {
    const ChangeKind kind = row.change->kind;
    if (kind == ChangeKind::kNone || kind == ChangeKind::kOpen) continue;
    findings.push_back({levelOf(kind),
                        sentenceOf(comparison, *row.key, *row.change, quote),
                        causeText(row.change->follows), row.key->site,
                        nameOf(row.change->part)});
  }
  return findings;
}

std::string compareSentence(const Comparison& comparison, const Quote& quote) {
  if (!comparison.unfit.empty()) {
    return "Not compared: the runs are no measure of each other.";
  }
  const std::vector<CompareFinding> findings =
      compareFindings(comparison, quote);
  std::size_t reasons = 0, following = 0;
  for (const CompareFinding& finding : findings) {
    if (finding.level != Level::kWorse) continue;
    ++(finding.follows.empty() ? reasons : following);
  }
  if (reasons > 0) {
    std::string text = worseSentence(findings.front().text, reasons, following);
    if (reasons == 1 && following == 0) {
      absl::StrAppend(&text, " Nothing else became worse by more than ",
                      percentNumber(comparison.settings.limits.floor), " %.");
    }
    return text;
  }
  if (!comparison.not_measured.empty()) return "Not measured.";
  if (const Change* step = openStep(comparison)) {
    return absl::StrCat("No regression was found: ", unitOf(comparison),
                        " became at most ", percentNumber(step->high() - 1),
                        " % longer.");
  }
  return absl::StrCat("No regression: nothing became worse by more than ",
                      percentNumber(comparison.settings.limits.floor), " %.");
}

std::string powerText(const Comparison& comparison, const Quote& quote) {
  if (!comparison.has_verdict || comparison.keys.empty()) return "";
  if (comparison.least_p > comparison.needed_p) return "";
  const CompareLimits& limits = comparison.settings.limits;
  const Change* step = nullptr;
  const Change* worst = nullptr;
  const ComparedKey* of = nullptr;
  for (const ComparedKey& key : comparison.keys) {
    for (const Change& change : key.changes) {
      if (!isTime(change.part) || change.small) continue;
      if (change.part == RunPart::kStep) step = &change;
      if (worst && change.detectable(limits) <= worst->detectable(limits)) {
        continue;
      }
      worst = &change;
      of = &key;
    }
  }
  if (!step || !worst) return "";
  return absl::StrCat(
      "In 9 of 10 comparisons like this one ", unitOf(comparison), " that is ",
      percentNumber(step->detectable(limits)),
      " % longer would be found; least well seen is ",
      partText(worst->part, keyText(of->key, quote), unitOf(comparison)),
      ", from ", percentNumber(worst->detectable(limits)), " % on (",
      percentNumber(worst->share), " % of ", unitOf(comparison), ").");
}

}  // namespace traced
