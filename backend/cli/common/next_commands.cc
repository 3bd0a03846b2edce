#include "cli/common/next_commands.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "phrasing/standing_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kMaxProcesses = 2;

// Returns whether the trace shows where the rank stood.
bool isSampled(const RankState& rank) {
  const ThreadStanding* const standing = shownStanding(rank);
  return standing && !standing->frames.empty();
}

// Adds a py-spy command for each culprit whose end is unknown and whose stack
// was not sampled.
void addStacks(const JobState& job, const JobVerdict& verdict,
               std::vector<std::string>& commands) {
  for (const std::uint32_t rank : verdict.culprits) {
    if (commands.size() >= kMaxProcesses) return;
    const RankState* state = job.rank(rank);
    if (!state || state->pid <= 0 || state->end.kind != EndKind::kUnknown ||
        isSampled(*state)) {
      continue;
    }
    commands.push_back(absl::StrCat("py-spy dump --pid ", state->pid,
                                    "   # if it still runs: rank ", rank,
                                    ", on host ", printable(state->host)));
  }
}

}  // namespace

std::vector<std::string> nextCommands(const std::string& input,
                                      const JobState& job,
                                      const JobVerdict& verdict) {
  std::vector<std::string> commands;
  const VerdictTraits& traits = traitsOf(verdict.kind);
  if (traits.of_times) {
    return {absl::StrCat("tracectl report ", input, " --by op,group,rank")};
  }
  if (traits.is_stuck) addStacks(job, verdict, commands);
  if (verdict.group == GroupCatalog::kNone) {
    if (!verdict.culprits.empty()) {
      commands.push_back(absl::StrCat("tracectl show ", input, " --ranks ",
                                      verdict.culprits.front(), " --last 5"));
    }
    return commands;
  }
  const std::string& label = job.catalog.label(verdict.group);
  // The option takes several labels, separated by commas.
  const std::string of_group =
      label.find(',') == std::string::npos
          ? absl::StrCat(" --groups ", shellWord(label))
          : std::string();
  if (traits.is_stuck) {
    commands.push_back(
        absl::StrCat("tracectl show ", input, of_group, " --last 5 --stacks"));
  } else if (verdict.seq > 0) {
    commands.push_back(absl::StrCat("tracectl show ", input, of_group,
                                    " --limit 1000000 | grep -w -C3 '#",
                                    verdict.seq, "'"));
  }
  return commands;
}

}  // namespace traced
