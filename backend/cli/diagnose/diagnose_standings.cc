#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/json.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/standing_text.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Ranks whose shown threads were at the same place.
struct SharedPlace {
  std::string text;
  std::vector<std::uint32_t> ranks;
};

// Returns the places, those of the fewest ranks first.
std::vector<SharedPlace> sharedPlaces(const JobState& job) {
  std::map<std::string, std::vector<std::uint32_t>> ranks_at;
  for (const RankState& rank : job.ranks) {
    const ThreadStanding* const standing = shownStanding(rank);
    if (standing) ranks_at[sharedPlaceText(*standing)].push_back(rank.rank);
  }
  std::vector<SharedPlace> places;
  for (auto& [text, ranks] : ranks_at) {
    places.push_back({text, std::move(ranks)});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const SharedPlace& a, const SharedPlace& b) {
                     return a.ranks.size() < b.ranks.size();
                   });
  return places;
}

Json frameJson(const v1::Frame& frame) {
  return {{"function", frame.function()},
          {"file", frame.file()},
          {"line", frame.line()}};
}

}  // namespace

std::string standingLines(const JobState& job, std::size_t min_places,
                          std::size_t max_places, std::size_t columns) {
  const std::vector<SharedPlace> places = sharedPlaces(job);
  if (places.size() < std::max<std::size_t>(min_places, 1)) return "";
  std::string text = "\nWhere they were when last sampled:\n";
  for (std::size_t i = 0; i < places.size() && i < max_places; ++i) {
    const SharedPlace& place = places[i];
    const std::string ranks = RankList::fromRanks(place.ranks).text();
    absl::StrAppend(
        &text, wrapped(absl::StrCat(" ", ranks, "  "), place.text, columns));
  }
  if (places.size() > max_places) {
    absl::StrAppend(&text, " ", places.size() - max_places,
                    " more lines; --all shows them\n");
  }
  return text;
}

Json standingJson(const ThreadStanding& standing) {
  Json json = {{"tid", standing.tid},
               {"main", standing.is_main},
               {"issued_last", standing.issued_last},
               {"kind", nameOf(standing.kind)},
               {"doing", doingText(standing)},
               {"reading", nameOf(standing.reading)},
               {"samples", standing.samples},
               {"stood_ns", standing.stood_ns},
               {"before_end_ns", standing.before_end_ns}};
  if (standing.state != 0) json["state"] = std::string(1, standing.state);
  if (!standing.waits_in.empty()) json["waits_in"] = standing.waits_in;
  setIf(json, "cpu_ns", standing.cpu_ns);
  if (!standing.site.empty()) json["site"] = standing.site;
  if (!standing.handling.empty()) json["handling"] = standing.handling;
  if (!standing.gil_holder.empty()) json["gil_holder"] = standing.gil_holder;
  json["frames"] = Json::array();
  for (const v1::Frame& frame : standing.frames) {
    json["frames"].push_back(frameJson(frame));
  }
  if (standing.cut > 0) json["frames_cut"] = standing.cut;
  return json;
}

}  // namespace traced
