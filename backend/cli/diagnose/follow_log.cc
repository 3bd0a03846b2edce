#include "cli/diagnose/follow_log.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "cli/common/json.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr int kPolls = 2;

// Other verdicts concern the past. Later polls miss them only because they have
// left the window.
bool mayBeOver(VerdictKind kind) { return traitsOf(kind).may_be_over; }

// Returns true if the operations are still blocked, possibly for another
// reason. For example, the missing rank was killed in the meantime.
bool stillStuck(const JobVerdict& then,
                const std::vector<JobVerdict>& current) {
  constexpr std::uint32_t kAny = GroupCatalog::kNone;
  return std::any_of(current.begin(), current.end(),
                     [&then](const JobVerdict& now) {
                       return then.group == kAny || now.group == kAny ||
                              (then.group == now.group && now.seq <= then.seq);
                     });
}

}  // namespace

FollowLog::News FollowLog::update(std::vector<Finding> findings, Time now,
                                  Job job) {
  const bool last = job != Job::kRuns;
  News news;
  std::vector<JobVerdict> current;
  std::set<std::string> names;
  for (Finding& finding : findings) {
    names.insert(finding.name);
    if (mayBeOver(finding.verdict.kind) ||
        finding.verdict.kind == VerdictKind::kLeftEarly) {
      current.push_back(finding.verdict);
    }
    Known& known =
        known_.try_emplace(finding.name, Known{{}, now}).first->second;
    ++known.polls;
    known.still = finding.may_pass ? 0 : known.still + 1;
    const bool is_sure =
        known.still >= kPolls ||
        (known.polls >= kPolls && now - known.since >= patience_);
    if (known.reported || !(is_sure || last)) continue;
    known.reported = any_reported_ = true;
    known.finding = finding;
    news.found.push_back(std::move(finding));
  }
  for (auto each = known_.begin(); each != known_.end();) {
    Known& known = each->second;
    // A verdict whose operations are now blocked for another reason ends
    // together with that one.
    const bool stays =
        names.contains(each->first) ||
        (known.reported && (!mayBeOver(known.finding.verdict.kind) ||
                            stillStuck(known.finding.verdict, current)));
    // If processes were killed, their operations stayed blocked to the end.
    if (!stays && known.reported && job != Job::kEnded) {
      news.over.push_back(std::move(known.finding));
    }
    each = stays ? std::next(each) : known_.erase(each);
  }
  return news;
}

namespace {

Json eventJson(const char* event) {
  return {{"schema", kJsonSchema},
          {"event", event},
          {"at_realtime_ns", readClocks().realtime_ns}};
}

std::string lineOf(const Json& json) {
  std::ostringstream out;
  writeJson(out, json, -1);
  return out.str();
}

}  // namespace

std::string timeText() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const std::size_t bytes =
      std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text, bytes};
}

std::string overText(const std::string& summary) {
  return printable(absl::StrCat(timeText(), ": resolved: ", summary));
}

std::string verdictLineJson(const JobState& job, const JobVerdict& verdict,
                            bool stock_names) {
  Json json = eventJson("verdict");
  json.update(verdictJson(job, verdict, stock_names));
  json["where"] = ranksJson(job);
  return lineOf(json);
}

std::string overJson(const JobVerdict& verdict, const std::string& summary) {
  Json json = eventJson("went_on");
  json["kind"] = nameOf(verdict.kind);
  json["culprits"] = verdict.culprits;
  if (verdict.pair) json["pair"] = {verdict.pair->first, verdict.pair->second};
  if (verdict.seq > 0) json["seq"] = verdict.seq;
  json["summary"] = summary;
  return lineOf(json);
}

std::string endJson(const std::set<std::uint32_t>& culprits) {
  Json json = eventJson("end");
  json["culprits"] = culprits;
  return lineOf(json);
}

}  // namespace traced
