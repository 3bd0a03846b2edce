#include "cli/diagnose/follow_output.h"

#include <ctime>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "cli/common/json.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/text.h"

namespace traced {
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
  return printable(absl::StrCat(timeText(), ": it went on. Before: ", summary));
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
