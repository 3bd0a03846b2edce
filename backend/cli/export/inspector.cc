// Writes the JSON lines of NCCL's Inspector. See docs/use/export.md.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/timeline/rank_timeline.h"
#include "cli/common/json.h"
#include "cli/export/job_exporter.h"
#include "cli/export/nccl_functions.h"
#include "cli/export/row_text.h"
#include "phrasing/text.h"

namespace traced {

namespace inspector {
namespace {

class Lines {
 public:
  explicit Lines(const JobView& view) : view_(view) {
    const TraceSet& set = view.set();
    for (const std::size_t stream : set.selected) {
      const v1::Header& header = set.streams[stream].header;
      host_by_rank_[header.rank()] = header.host();
    }
    for (const JobGroup& group : view.run().groups.groups()) {
      nodes_.push_back(nodesOf(group));
    }
  }

  void write(std::ostream& out, std::uint32_t stream,
             const std::vector<ViewedCell>& cells) {
    RowBuffer buffer;
    for (const ViewedCell& cell : cells) {
      const Json line = lineOf(stream, cell);
      if (line.is_null()) {
        ++left_out_;
        continue;
      }
      absl::StrAppend(&buffer.text(), jsonText(line, -1), "\n");
      buffer.endRow(out);
    }
    buffer.write(out);
  }
  std::uint64_t leftOut() const { return left_out_; }

 private:
  std::size_t nodesOf(const JobGroup& group) const {
    absl::flat_hash_set<std::string> hosts;
    for (const auto& [rank, host] : host_by_rank_) {
      if (group.members.contains(rank)) hosts.insert(host);
    }
    return hosts.size();
  }

  Json lineOf(std::uint32_t stream, const ViewedCell& cell) const {
    const StreamTable& table = view_.run().streams[stream].table;
    const AssembledOperation& op = table.operations[cell.operation];
    const v1::Call* call = table.callOf(op);
    const MatchRow& row = view_.matched().rows[cell.row];
    if (!call || !functionOf(call->op()) || row.group == GroupCatalog::kNone ||
        op.failed || between(op.issued, op.ended).value_or(0) == 0) {
      return {};
    }
    const JobGroup& group = view_.run().groups.groups()[row.group];
    const std::uint32_t local = table.groupOf(*call);
    Json json;
    json["header"] = {{"id", absl::StrCat("0x", absl::Hex(row.group + 1))},
                      {"comm_name", printable(group.label)},
                      {"rank", table.definitions.groups()[local].group_rank},
                      {"n_ranks", group.members.size()},
                      {"nnodes", nodes_[row.group]}};
    const std::int64_t end_ns = view_.wallNsOf(stream, op.ended);
    json["metadata"] = {
        {"inspector_output_format_version", "v4.0"},
        {"git_rev", ""},
        {"rec_mechanism", "traced"},
        {"dump_timestamp_us", std::max<std::int64_t>(end_ns, 0) / 1000},
        {"hostname", printable(table.header.host())},
        {"pid", table.header.pid()}};
    addPerformance(json, table, op, *call, group.members.size(),
                   table.definitions.groups()[local].group_rank);
    return json;
  }

  static void addPerformance(Json& json, const StreamTable& table,
                             const AssembledOperation& op, const v1::Call& call,
                             std::uint32_t size, std::uint32_t group_rank) {
    const bool is_p2p = isPointToPoint(call.op());
    const char* kind = is_p2p ? "p2p" : "coll";
    Json& perf = json[is_p2p ? "p2p_perf" : "coll_perf"];
    const auto set = [&](const char* name, const Json& value) {
      perf[absl::StrCat(kind, name)] = value;
    };
    const std::uint64_t bytes = messageBytes(call, size);
    const auto ns = static_cast<double>(*between(op.issued, op.ended));
    const double algbw = static_cast<double>(bytes) / ns;
    set("", functionOf(call.op()));
    set("_sn", op.seq);
    if (is_p2p) {
      const auto peer = table.peerOf(op, call);
      set("_peer", peer ? Json(*peer) : Json(-1));
    }
    set("_msg_size_bytes", bytes);
    set("_exec_time_us", std::llround(ns / 1000));
    set("_timing_source", "collective_cpu");
    set("_algobw_gbs", algbw);
    set("_busbw_gbs", algbw * busFactor(call, size, group_rank).value_or(0));
  }

  const JobView& view_;
  absl::flat_hash_map<std::uint32_t, std::string> host_by_rank_;
  std::vector<std::size_t> nodes_;
  std::uint64_t left_out_ = 0;
};

class InspectorExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    std::ostream& out = files.begin("");
    const auto cells = cellsByStream(view);
    Lines lines(view);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      lines.write(out, i, cells[i]);
    }
    left_out_ = lines.leftOut();
  }

  std::string note() const override {
    return noteOf({{left_out_,
                    " left out: without an end, or nothing that NCCL carries "
                    "out"}});
  }

 private:
  std::uint64_t left_out_ = 0;
};

}  // namespace
}  // namespace inspector

std::unique_ptr<JobExporter> makeInspectorExporter() {
  return std::make_unique<inspector::InspectorExporter>();
}

}  // namespace traced
