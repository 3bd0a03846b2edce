#include "recorder/metrics/metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace traced {
namespace {

using MetricsJson = nlohmann::ordered_json;

double inSeconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

double secondsBetween(std::int64_t from_ns, std::int64_t to_ns) {
  return inSeconds(
      static_cast<std::uint64_t>(std::max<std::int64_t>(to_ns - from_ns, 0)));
}

std::string jsonText(const MetricsJson& json) {
  return json.dump(-1, ' ', false, MetricsJson::error_handler_t::replace);
}

MetricsJson toJson(const OperationSummary& op, std::int64_t polled_ns) {
  MetricsJson json = {{"op", op.operation},
                      {"op_id", op.op},
                      {"group_name", op.group_name},
                      {"group_desc", op.group_desc}};
  if (op.seq > 0) json["seq"] = op.seq;
  if (op.peer >= 0) json["peer_global"] = op.peer;
  json["bytes"] = op.bytes;
  json["issue_ns"] = op.issue_ns;
  json["seconds"] = secondsBetween(op.issue_ns, polled_ns);
  return json;
}

}  // namespace

std::vector<Metric> metricsOf(const RankFigures& figures, std::int64_t now_ns) {
  const auto since = [&figures](std::int64_t ns) {
    return secondsBetween(ns, figures.polled_ns);
  };
  std::vector<Metric> metrics = {
      {"traced_rank_operations_total", figures.operations},
      {"traced_rank_bytes_total", figures.bytes},
      {"traced_rank_failed_operations_total", figures.failed},
      {"traced_rank_own_call_seconds_total", inSeconds(figures.own_call_ns)},
      {"traced_rank_completion_seconds_total",
       inSeconds(figures.completion_ns)},
      {"traced_rank_exposed_wait_seconds_total",
       inSeconds(figures.exposed_wait_ns)},
      {"traced_rank_communication_seconds_total",
       inSeconds(figures.communication_ns)},
      {"traced_rank_waits_unknown_total", figures.waits_unknown},
      {"traced_rank_lost_records_total", figures.lost_records}};
  // A lost record may have been a wait.
  if (figures.lost_records == 0 && figures.unseen_wait_is_bounded) {
    metrics.push_back(
        {"traced_rank_exposed_wait_at_most_seconds_total",
         inSeconds(figures.exposed_wait_ns + figures.unseen_wait_ns)});
  }
  const bool is_all = !figures.may_have_more_in_flight;
  if (is_all) {
    metrics.push_back({"traced_rank_operations_in_flight", figures.in_flight});
  }
  if (is_all || !figures.oldest.empty()) {
    metrics.push_back(
        {"traced_rank_oldest_in_flight_seconds",
         figures.oldest.empty() ? 0.0 : since(figures.oldest[0].issue_ns)});
  }
  if (figures.last_issue_ns) {
    metrics.push_back(
        {"traced_rank_seconds_since_operation", since(*figures.last_issue_ns)});
  }
  if (figures.step) {
    metrics.push_back({"traced_rank_step", *figures.step});
    metrics.push_back(
        {"traced_rank_seconds_since_step", since(figures.step_began_ns)});
  }
  if (figures.step_ns) {
    metrics.push_back(
        {"traced_rank_step_seconds", inSeconds(*figures.step_ns)});
  }
  metrics.push_back({"traced_rank_metrics_age_seconds",
                     secondsBetween(figures.polled_ns, now_ns)});
  return metrics;
}

std::string metricsJson(const RankFigures& figures, std::int64_t now_ns) {
  MetricsJson json = MetricsJson::object();
  for (const Metric& metric : metricsOf(figures, now_ns)) {
    std::visit([&](auto value) { json[metric.name] = value; }, metric.value);
  }
  return jsonText(json);
}

std::string inFlightJson(const RankFigures& figures, std::int64_t now_ns) {
  MetricsJson operations = MetricsJson::array();
  for (const OperationSummary& op : figures.oldest) {
    operations.push_back(toJson(op, figures.polled_ns));
  }
  return jsonText({{"age_seconds", secondsBetween(figures.polled_ns, now_ns)},
                   {"in_flight", figures.in_flight},
                   {"is_all", !figures.may_have_more_in_flight},
                   {"oldest", std::move(operations)}});
}

}  // namespace traced
