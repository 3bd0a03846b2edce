#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/stream/rank_list.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

// Appends a number. A picture's numbers form one text, separated by blanks,
// because an array would take hundreds of thousands of lines.
void addNumber(std::string& text, std::uint64_t number) {
  absl::StrAppend(&text, text.empty() ? "" : " ", number);
}

}  // namespace

void addTime(Json& json, const TimeBreakdown& time) {
  json["total_ns"] = time.totalNs();
  for (const TimeField& field : kTimeFields) {
    json[field.name] = time.*field.value;
  }
}

namespace {

Json stepsJson(const StepPicture& picture) {
  Json entries = Json::array();
  for (const StepTimes& times : picture.entries) {
    entries.push_back({{"first", times.first},
                       {"count", times.count},
                       {"longest_ns", times.longest_ns},
                       {"not_ended", times.not_ended}});
    addTime(entries.back(), times.time);
  }
  Json json = {{"by", picture.by_step ? "step" : "time"}};
  if (!picture.by_step) json["stretch_ns"] = picture.stretch_ns;
  json["per_entry"] = picture.per_entry;
  json["entries"] = std::move(entries);
  return json;
}

constexpr std::uint64_t kNsPerUs = 1000;

// Appends microseconds: "-" without operations and waiting, "12?" if some are
// unknown, "12~" if clocks leave more than half undecided.
void addSuffered(std::string& text, const WaitCell& cell) {
  if (cell.operations == 0 && cell.suffered_ns + cell.uncertain_ns == 0) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "-");
    return;
  }
  addNumber(text, cell.suffered_ns / kNsPerUs);
  const bool is_vague =
      cell.uncertain_ns > std::max(kNsPerUs, cell.suffered_ns);
  if (cell.not_known > 0) {
    text += '?';
  } else if (is_vague) {
    text += '~';
  }
}

Json waitsJson(const WaitPicture& picture) {
  Json rows = Json::array();
  for (const WaitPicture::Row& row : picture.rows) {
    std::string caused, suffered;
    for (const WaitCell& cell : row.cells) {
      addNumber(caused, cell.caused_ns / kNsPerUs);
      if (cell.certain_ns < cell.caused_ns / 2) caused += '~';
      addSuffered(suffered, cell);
    }
    rows.push_back({{"first_rank", row.first_rank},
                    {"last_rank", row.last_rank},
                    {"caused_us", std::move(caused)},
                    {"suffered_us", std::move(suffered)}});
  }
  return {{"column_ns", picture.column_ns},
          {"columns", picture.columns},
          {"without_time", picture.without_time},
          {"rows", std::move(rows)}};
}

Json latenessJson(const std::vector<RankLateness>& ranks) {
  Json all = Json::array();
  for (const RankLateness& rank : ranks) {
    Json json = {{"rank", rank.rank},
                 {"caused_ns", rank.caused_ns},
                 {"certain_ns", rank.certain_ns},
                 {"suffered_ns", rank.suffered_ns},
                 {"arrivals", rank.ready_times},
                 {"last", rank.last},
                 {"last_certain", rank.last_certain}};
    if (rank.last > 0) {
      json["p25_ns"] = rank.p25_ns;
      json["p50_ns"] = rank.p50_ns;
      json["p75_ns"] = rank.p75_ns;
      json["max_ns"] = rank.max_ns;
    }
    all.push_back(std::move(json));
  }
  return all;
}

constexpr std::size_t kAllRanges = std::numeric_limits<std::size_t>::max();

Json linksJson(const LinkPicture& picture) {
  Json rows = Json::array();
  for (auto link = picture.links.begin(); link != picture.links.end();) {
    const std::uint32_t from = link->from;
    std::string to, bytes, message_bytes, message_ns, exchange_bytes,
        exchange_ns;
    for (; link != picture.links.end() && link->from == from; ++link) {
      addNumber(to, link->to);
      addNumber(bytes, link->bytes);
      addNumber(message_bytes, link->messages.bytes);
      addNumber(message_ns, link->messages.ns);
      addNumber(exchange_bytes, link->exchanges.bytes);
      addNumber(exchange_ns, link->exchanges.ns);
    }
    rows.push_back({{"from", from},
                    {"to", std::move(to)},
                    {"bytes", std::move(bytes)},
                    {"message_bytes", std::move(message_bytes)},
                    {"message_ns", std::move(message_ns)},
                    {"exchange_bytes", std::move(exchange_bytes)},
                    {"exchange_ns", std::move(exchange_ns)}});
  }
  Json nodes = Json::array();
  for (const LinkPicture::Node& node : picture.nodes) {
    nodes.push_back(
        {{"name", printable(nodeText(node.name))},
         {"more", node.more},
         {"ranks", RankList::fromRanks(node.ranks).text(kAllRanges)}});
  }
  return {{"ranks_per_unit", picture.ranks_per_unit},
          {"nodes", std::move(nodes)},
          {"left_out", picture.left_out},
          {"rows", std::move(rows)}};
}

double gbs(std::uint64_t bytes_per_second) {
  return static_cast<double>(bytes_per_second) / 1e9;
}

Json speedsJson(const std::vector<Speed>& speeds) {
  Json all = Json::array();
  for (const Speed& speed : speeds) {
    all.push_back({{"op", speed.op},
                   {"bytes", speed.bytes},
                   {"count", speed.count},
                   {"over", speed.of_transfer ? "transfer" : "ready_to_end"},
                   {"busbw_p10_gbs", gbs(speed.busbw_p10)},
                   {"busbw_p50_gbs", gbs(speed.busbw_p50)},
                   {"busbw_p90_gbs", gbs(speed.busbw_p90)}});
  }
  return all;
}

}  // namespace

Json pictureSharesJson(const Report& report) {
  Json json = Json::object();
  const std::uint64_t run_ns = report.summary.rankTimeNs();
  if (report.summary.fromDumps() || run_ns == 0) return json;
  const auto part = [run_ns](std::uint64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(run_ns);
  };
  json["communication"] = report.all.shareOf(run_ns);
  if (report.isBounded()) {
    json["communication_at_most"] = report.all.mostOf(run_ns);
  }
  json["exposed_wait_for_peers"] = part(report.time.exposed_wait_for_peers_ns);
  json["exposed_wait_for_peers_uncertain"] = part(report.time.uncertain_ns);
  json["hidden"] = part(report.time.hidden_ns);
  const RankLateness* worst = report.pictures->worst();
  if (worst) {
    json["worst_rank"] = worst->rank;
    json["worst_rank_caused"] = part(worst->caused_ns);
    json["worst_rank_certain"] = part(worst->certain_ns);
  }
  return json;
}

Json picturesJson(const Report& report) {
  const Pictures& pictures = *report.pictures;
  return {{"shares", pictureSharesJson(report)},
          {"steps", stepsJson(pictures.steps)},
          {"waits", waitsJson(pictures.waits)},
          {"lateness", latenessJson(pictures.lateness)},
          {"links", linksJson(pictures.links)},
          {"speeds", speedsJson(pictures.speeds)}};
}

}  // namespace traced
