#include "cli/serve/told_findings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"

namespace traced {

void ToldFindings::look(const std::vector<LiveFinding>& findings,
                        MessageLog& log, VerdictCommands* commands) {
  std::set<std::string> now;
  for (const LiveFinding& finding : findings) {
    now.insert(finding.name);
    if (known_.contains(finding.name)) continue;
    log.write(finding.text);
    if (commands) commands->add(jsonText(finding.json, -1) + "\n");
  }
  for (const std::string& name : known_) {
    if (!now.contains(name)) log.write(absl::StrCat("over: ", printable(name)));
  }
  known_ = std::move(now);
  if (commands) commands->poll();
}

}  // namespace traced
