#include "cli/serve/verdicts_json.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"

namespace traced {
namespace {

// Whose ranks are in no verdict.
Json warningsOf(const std::vector<Peer>& peers) {
  Json warnings = Json::array();
  for (const Peer& peer : peers) {
    if (peer.digest) continue;
    warnings.push_back(printable(absl::StrCat(
        peer.address, " has told nothing for ", threeDigits(peer.silent_s),
        " s: its ranks count as not seen",
        peer.problem.empty() ? "" : absl::StrCat(" (", peer.problem, ")"))));
  }
  return warnings;
}

Json hostsOf(const Hosts& hosts) {
  Json all = Json::array({{{"host", hosts.digest().host()}}});
  for (const Peer& peer : hosts.peers()) {
    Json each = {{"peer", peer.address}, {"silent_s", peer.silent_s}};
    if (peer.digest) each["host"] = peer.digest->host();
    if (!peer.problem.empty()) each["problem"] = peer.problem;
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

Json verdictsJson(const Hosts& hosts,
                  const std::vector<LiveFinding>& findings) {
  Json verdicts = Json::array();
  for (const LiveFinding& finding : findings) verdicts.push_back(finding.json);
  Json json = {{"schema", kJsonSchema},
               {"warnings", warningsOf(hosts.peers())}};
  if (!hosts.peers().empty()) json["hosts"] = hostsOf(hosts);
  json["verdicts"] = std::move(verdicts);
  return json;
}

}  // namespace traced
