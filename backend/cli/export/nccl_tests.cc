// Writes the results of a job's collectives in the JSON format of nccl-tests,
// version 3. See docs/use/export.md.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/figures/samples.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/view/job_view.h"
#include "cli/common/json.h"
#include "cli/export/job_exporter.h"
#include "phrasing/text.h"
#include "trace_io/call_text.h"
#include "trace_io/message_size.h"

namespace traced::nccl_tests {

class Results {
 public:
  explicit Results(const JobView& view) : view_(view) {}

  void add(const MatchRow& row);
  // Returns the results by group, operation and size.
  Json json() const;

  // Return how many collectives were left out: those that did not include all
  // ranks of the file, and those without a known time or bandwidth.
  std::uint64_t ofOthers() const { return of_others_; }
  std::uint64_t unmeasured() const { return unmeasured_; }

 private:
  // Label, operation, size, count, dtype, reduce op, root, in place.
  using Key = std::tuple<std::string, std::string, std::uint64_t, std::int64_t,
                         std::string, std::string, std::int64_t, bool>;
  struct Measured {
    double bus_factor = 0;
    // Times of each rank, in microseconds.
    std::vector<std::vector<double>> times_us;
  };

  Json resultOf(const Key& key, const Measured& measured) const;

  const JobView& view_;
  std::map<Key, Measured> results_;
  std::uint64_t of_others_ = 0;
  std::uint64_t unmeasured_ = 0;
};

namespace {

// Returns the number of elements on the larger side of the call.
std::int64_t elementsOf(const v1::Call& call) {
  const bool gathers = call.bytes_out() > call.bytes_in();
  return traced::elementsOf(gathers ? call.output() : call.input()).value_or(0);
}

double meanOf(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

// Returns, for each call, the time of the slowest rank.
std::vector<double> longestOf(const std::vector<std::vector<double>>& ranks) {
  std::vector<double> longest = ranks.front();
  for (const std::vector<double>& times : ranks) {
    for (std::size_t i = 0; i < longest.size(); ++i) {
      longest[i] = std::max(longest[i], times[i]);
    }
  }
  return longest;
}

// Returns statistics over calls. `ranks` holds the times of each rank, in
// microseconds. A call takes as long as on its slowest rank.
Json perIteration(const std::vector<std::vector<double>>& ranks) {
  const std::vector<double> times = longestOf(ranks);
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const double mean = meanOf(times);
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  const double deviation =
      std::sqrt(squares / static_cast<double>(times.size()));
  Json json;
  json["skipped_iterations"] = 0;
  json["min_us"] = sorted.front();
  json["max_us"] = sorted.back();
  json["avg_us"] = mean;
  json["p50_us"] = sorted[nearestRank(sorted.size(), 50)];
  json["p95_us"] = sorted[nearestRank(sorted.size(), 95)];
  json["p99_us"] = sorted[nearestRank(sorted.size(), 99)];
  json["stdev_us"] = deviation;
  json["cv_pct"] = mean > 0 ? deviation / mean * 100 : 0;
  json["times_us"] = times;
  json["per_process_max_times_us"] = ranks;
  return json;
}

}  // namespace

void Results::add(const MatchRow& row) {
  const auto cells = view_.matched().cellsOf(row);
  const v1::Call* call = view_.callOf(cells.front());
  if (!call || row.group == GroupCatalog::kNone || isPointToPoint(call->op())) {
    ++unmeasured_;
    return;
  }
  const JobGroup& group = view_.run().groups.groups()[row.group];
  const std::size_t ranks = view_.run().streams.size();
  if (group.members.size() != ranks || cells.size() != ranks) {
    ++of_others_;
    return;
  }
  const std::uint32_t size = group.members.size();
  const auto factorOf = [&](const MatchCell& cell, const v1::Call& of) {
    const StreamTable& table = view_.tableOf(cell);
    const std::uint32_t local = table.groupOf(of);
    if (local == StreamDefinitions::kNone) return busFactor(of.op(), size);
    return busFactor(of, size, table.definitions.groups()[local].group_rank);
  };
  const std::optional<double> factor = factorOf(cells.front(), *call);
  const std::uint64_t bytes = messageBytes(*call, size);
  std::vector<double> times_us(ranks);
  bool known = factor && bytes > 0;
  for (const MatchCell& cell : cells) {
    const AssembledOperation& op = view_.operationOf(cell);
    const v1::Call* other = view_.callOf(cell);
    known &= other && other->op() == call->op() &&
             factorOf(cell, *other) == factor &&
             messageBytes(*other, size) == bytes && !op.failed &&
             between(op.issued, op.ended).value_or(0) > 0;
    if (!known) break;
    times_us[cell.stream] =
        static_cast<double>(*between(op.issued, op.ended)) / 1000;
  }
  if (!known) {
    ++unmeasured_;
    return;
  }
  const std::int64_t root = std::int64_t{call->root_global_plus_1()} - 1;
  Measured& measured =
      results_[Key(group.label,
                   operationName(view_.tableOf(cells.front()),
                                 view_.operationOf(cells.front())),
                   bytes, elementsOf(*call), dtypeText(*call),
                   nameOf(call->reduce_op()), root, call->in_place())];
  measured.bus_factor = *factor;
  measured.times_us.resize(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    measured.times_us[i].push_back(times_us[i]);
  }
}

Json Results::resultOf(const Key& key, const Measured& measured) const {
  const auto& [label, op, bytes, count, dtype, reduce_op, root, in_place] = key;
  const double time_us = meanOf(longestOf(measured.times_us));
  const double algbw = static_cast<double>(bytes) / (time_us * 1000);
  Json json;
  json["size"] = bytes;
  json["count"] = count;
  json["type"] = dtype;
  json["redop"] = reduce_op == "unspecified" ? "none" : reduce_op;
  json["root"] = absl::StrCat(root);
  json[in_place ? "out_of_place" : "in_place"] = nullptr;
  const char* place = in_place ? "in_place" : "out_of_place";
  json[place] = {{"time", time_us},
                 {"alg_bw", algbw},
                 {"bus_bw", algbw * measured.bus_factor},
                 {"nwrong", nullptr}};
  json[absl::StrCat(place, "_per_iter")] = perIteration(measured.times_us);
  json["actual_iterations"] = measured.times_us.front().size();
  json["experiment_name"] = absl::StrCat(op, " ", printable(label));
  return json;
}

Json Results::json() const {
  Json results = Json::array();
  for (const auto& [key, measured] : results_) {
    results.push_back(resultOf(key, measured));
  }
  return results;
}

}  // namespace traced::nccl_tests

namespace traced {

namespace nccl_tests {
namespace {

constexpr int kVersion = 3;

Json devicesOf(const JobView& view) {
  Json devices = Json::array();
  for (const LoadedRun::Stream& stream : view.run().streams) {
    const v1::Header& header = stream.table.header;
    devices.push_back({{"rank", header.rank()},
                       {"group", 0},
                       {"pid", header.pid()},
                       {"hostname", printable(header.host())},
                       {"device", -1},
                       {"device_hex", ""},
                       {"device_info", ""}});
  }
  return devices;
}

double meanBandwidth(const Json& results) {
  double sum = 0;
  for (const Json& result : results) {
    const Json& in_place = result["in_place"];
    sum += (in_place.is_null() ? result["out_of_place"] : in_place)["bus_bw"]
               .get<double>();
  }
  return results.empty() ? 0 : sum / static_cast<double>(results.size());
}

class NcclTestsExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    Results results(view);
    for (const MatchRow& row : view.matched().rows) results.add(row);
    of_others_ = results.ofOthers();
    unmeasured_ = results.unmeasured();
    Json json;
    json["version"] = kVersion;
    json["args"] = Json::array({"tracectl", "export"});
    json["env"] = Json::array();
    Json all = results.json();
    std::size_t iterations = 0;
    for (const Json& result : all) {
      iterations =
          std::max(iterations, result["actual_iterations"].get<std::size_t>());
    }
    json["config"] = {{"iterations", iterations},
                      {"aggregated_iterations", 1},
                      {"per_iter_timing", "true"},
                      {"per_iter_skip", 0},
                      {"devices", devicesOf(view)}};
    json["average_bus_bandwidth"] = {{"bandwidth", meanBandwidth(all)}};
    json["results"] = std::move(all);
    json["out_of_bounds"] = {{"count", 0}, {"okay", "true"}};
    writeJson(files.begin(""), json, -1);
  }

  std::string note() const override {
    return noteOf(
        {{of_others_,
          " left out: not of all ranks in the file (--ranks chooses them)"},
         {unmeasured_,
          " left out: no collectives with a bandwidth and an end on all "
          "ranks"}});
  }

 private:
  std::uint64_t of_others_ = 0;
  std::uint64_t unmeasured_ = 0;
};

}  // namespace
}  // namespace nccl_tests

std::unique_ptr<JobExporter> makeNcclTestsExporter() {
  return std::make_unique<nccl_tests::NcclTestsExporter>();
}

}  // namespace traced
