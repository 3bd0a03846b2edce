#include "cli/export/nccl_tests/nccl_tests_exporter.h"

#include <algorithm>
#include <string>

#include "cli/common/text.h"
#include "cli/export/export_note.h"
#include "cli/export/nccl_tests/results.h"

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
