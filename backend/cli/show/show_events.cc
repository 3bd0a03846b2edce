#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/stream/clock_models.h"
#include "cli/common/event_words.h"
#include "cli/show/show_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

constexpr std::size_t kEventsShown = 20;

// Caches an EventWords for each stream that appears.
class WordsByStream {
 public:
  explicit WordsByStream(const LoadedRun& run) : run_(run) {}

  const EventWords& of(std::uint32_t stream) {
    return words_.try_emplace(stream, run_.streams[stream].table).first->second;
  }

 private:
  const LoadedRun& run_;
  absl::flat_hash_map<std::uint32_t, EventWords> words_;
};

std::uint32_t rankOf(const ShowContext& context, const ShownEvent& shown) {
  return context.run.streams[shown.stream].table.header.rank();
}

// Returns the first line. The rest is mostly a C++ stack.
std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::vector<ShownEvent> eventsOf(const LoadedRun& run,
                                 const MatchFilter& filter) {
  std::vector<ShownEvent> events;
  for (std::uint32_t i = 0; i < run.streams.size(); ++i) {
    const LoadedRun::Stream& stream = run.streams[i];
    const std::uint32_t rank = stream.table.header.rank();
    if (!filter.passesRank(rank)) continue;
    for (const Marks::Event& event : stream.table.marks.events()) {
      if (!event.at.known()) continue;
      events.push_back({commonNs(stream.clock, event.at.ns()), i, event});
    }
  }
  std::sort(events.begin(), events.end(),
            [](const ShownEvent& a, const ShownEvent& b) {
              return std::tie(a.at_ns, a.stream, a.event.position) <
                     std::tie(b.at_ns, b.stream, b.event.position);
            });
  return events;
}

void writeEventsText(std::ostream& out, const ShowContext& context) {
  const auto& events = context.events;
  if (events.empty()) return;
  const std::int64_t origin_ns =
      context.run.first_issue_ns.value_or(events.front().at_ns);
  const std::size_t left_out =
      events.size() - std::min(events.size(), kEventsShown);
  WordsByStream words(context.run);
  if (left_out > 0) out << " " << countOf(left_out, "earlier mark") << "\n";
  for (std::size_t i = left_out; i < events.size(); ++i) {
    const ShownEvent& shown = events[i];
    out << absl::StrFormat(
        " %.3f ms, rank %d: %s\n",
        static_cast<double>(shown.at_ns - origin_ns) / 1e6,
        rankOf(context, shown),
        printable(firstLine(words.of(shown.stream).text(shown.event))));
  }
}

Json eventsJson(const ShowContext& context) {
  Json marks = Json::array();
  WordsByStream words(context.run);
  for (const ShownEvent& shown : context.events) {
    Json& mark = marks.emplace_back(Json::object());
    mark["rank"] = rankOf(context, shown);
    mark["at_ns"] = shown.at_ns;
    mark.update(words.of(shown.stream).json(shown.event));
  }
  return marks;
}

}  // namespace traced
