#include "analysis/diagnosis/gradients/survey.h"

#include <algorithm>

#include "analysis/reading/stream_reader.h"

namespace traced {

GradientSurvey::GradientSurvey(const JobState& job)
    : ranks(job.ranks.size()),
      exchanging(static_cast<std::uint32_t>(job.ranks.size())) {}

bool GradientSurvey::isComplete() const {
  return std::all_of(ranks.begin(), ranks.end(), [](const RankGradients& rank) {
    return rank.is_complete;
  });
}

GradientSurvey readGradients(const JobState& job, const TraceSet& set) {
  GradientSurvey survey(job);
  GroupCatalog catalog = job.catalog;
  readStreams(set, [&](std::size_t, const StreamTable& table) {
    const std::uint32_t rank = table.header.rank();
    if (rank >= survey.ranks.size()) return;
    const std::vector<std::uint32_t> groups =
        catalog.add(table.header.attempt(), table.definitions.groups());
    survey.ranks[rank] =
        GradientReader(table, groups, survey.exchanging).read();
  });
  return survey;
}

}  // namespace traced
