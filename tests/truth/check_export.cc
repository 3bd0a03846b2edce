// Checks that the export contains exactly what was called, and that CSV and
// JSON lines agree.

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "cli/common/json.h"
#include "cli/export/export_rows.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

// Cells by column. Absent values have no entry.
using Row = std::map<std::string, std::string>;

std::string written(const TraceSet& set, ExportWriter& writer) {
  std::ostringstream out;
  RunSummary summary;
  writeExport(out, writer, set, {}, summary);
  return out.str();
}

// Parses CSV (RFC 4180) into lines of cells.
std::vector<std::vector<std::string>> cellsOf(const std::string& csv) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& cell = lines.back().back();
    if (quoted && csv[i] == '"' && csv[i + 1] == '"') {
      cell += csv[i++];
    } else if (csv[i] == '"') {
      quoted = !quoted;
    } else if (quoted) {
      cell += csv[i];
    } else if (csv[i] == ',') {
      lines.back().emplace_back();
    } else if (csv[i] == '\n') {
      lines.emplace_back(1);
    } else if (csv[i] != '\r') {
      cell += csv[i];
    }
  }
  lines.pop_back();  // after the end of the last line
  return lines;
}

std::vector<Row> rowsOfCsv(const std::string& csv) {
  const std::vector<std::vector<std::string>> lines = cellsOf(csv);
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Row& row = rows.emplace_back();
    for (std::size_t k = 0; k < lines[i].size() && k < lines[0].size(); ++k) {
      if (!lines[i][k].empty()) row[lines[0][k]] = lines[i][k];
    }
  }
  return rows;
}

std::vector<Row> rowsOfJsonl(const std::string& jsonl) {
  std::vector<Row> rows;
  std::istringstream in(jsonl);
  for (std::string line; std::getline(in, line);) {
    Row& row = rows.emplace_back();
    const Json json = Json::parse(line);
    for (const auto& [name, value] : json.items()) {
      row[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return rows;
}

class ExportCheck {
 public:
  ExportCheck(const Trial& trial, Lies& lies) : trial_(trial), lies_(lies) {}

  void check(const TraceSet& set) {
    const std::vector<Row> rows = rowsOfCsv(exportedCsv(set));
    if (rowsOfJsonl(written(set, *makeJsonlWriter(RowReader::kProgram))) !=
        rows) {
      lies_.push_back({"JSON lines say other than CSV", ""});
    }
    std::map<std::uint32_t, bool> is_own;
    for (const std::size_t i : set.selected) {
      const v1::Header& header = set.streams[i].header;
      is_own[header.rank()] =
          header.stream_id() == trial_.traces[header.rank()].stream_id;
    }
    std::map<std::uint32_t, std::size_t> counts;
    for (const Row& row : rows) {
      const auto rank = static_cast<std::uint32_t>(std::stoul(row.at("rank")));
      ++counts[rank];
      if (is_own[rank]) check(rank, row);
    }
    if (!trial_.isWhole()) return;
    for (std::uint32_t rank = 0; rank < trial_.program.world; ++rank) {
      const std::size_t called = trial_.history.ranks[rank].operations.size();
      if (counts[rank] == called) continue;
      lies_.push_back({"exported operations",
                       absl::StrCat("rank ", rank, ": ", counts[rank],
                                    " rows of ", called, " calls")});
    }
  }

 private:
  void check(std::uint32_t rank, const Row& row) {
    const RankTrace& trace = trial_.traces[rank];
    const auto found = trace.operations.find(std::stoull(row.at("op_id")));
    if (found == trace.operations.end()) {
      lies_.push_back({"exported operation", "was never called"});
      return;
    }
    const RankHistory& own = trial_.history.ranks[rank];
    const Happened& op = own.operations[found->second];
    const PlainGroup& group = trial_.history.groups[op.call.group];
    const HostClock clock(trial_.program, trial_.program.hostOf(rank));
    const auto lasted = [&](std::int64_t from, std::int64_t to) {
      return absl::StrCat(clock.monotonicNs(to) - clock.monotonicNs(from));
    };
    Row expected = {
        {"op", traced::nameOf(op.call.op)},
        {"seq", absl::StrCat(op.seq)},
        {"group_size", absl::StrCat(group.members.size())},
        {"async", op.call.async ? "true" : "false"},
    };
    if (op.call.root_plus_1 > 0) {
      expected["root_global"] =
          absl::StrCat(group.members[op.call.root_plus_1 - 1]);
    }
    if (op.call.peer_plus_1 > 0) {
      expected["peer_global"] =
          absl::StrCat(group.members[op.call.peer_plus_1 - 1]);
      expected["tag"] = absl::StrCat(op.call.tag);
    }
    if (op.call.reduce_op != v1::REDUCE_OP_UNSPECIFIED) {
      expected["reduce_op"] = traced::nameOf(op.call.reduce_op);
    }
    hold(rank, op, row, expected);
    holdCorrelation(op, group, rank, row);
    if (!trial_.isWhole()) return;
    const bool was_waited = op.wait_ended != kNever && op.wait_ended <= own.end;
    const bool was_stamped = op.stamped != kNever && op.stamped <= own.end;
    Row times = {{"state", "issued"}};
    if (was_waited || was_stamped) {
      times["state"] = op.failed ? "failed" : "ended";
    }
    if (op.returned != kNever && op.returned <= own.end) {
      times["host_ns"] = lasted(op.issued, op.returned);
    }
    if (was_waited) times["wait_ns"] = lasted(op.wait_began, op.wait_ended);
    for (const StepBegun& step : own.steps) {
      if (step.at <= op.issued) times["step"] = absl::StrCat(step.step);
    }
    for (const char* name : {"state", "host_ns", "wait_ns", "step"}) {
      if (!times.contains(name)) times[name] = "";
    }
    hold(rank, op, row, times);
  }

  // Compares a row with the expected cells. "" means that the cell must be
  // absent.
  void hold(std::uint32_t rank, const Happened& op, const Row& row,
            const Row& expected) {
    for (const auto& [name, value] : expected) {
      const auto cell = row.find(name);
      if (cell == row.end() ? value.empty() : cell->second == value) continue;
      lies_.push_back(
          {absl::StrCat("exported ", name),
           absl::StrCat("rank ", rank, ", ", traced::nameOf(op.call.op), " #",
                        op.seq, ": said \"",
                        cell == row.end() ? "" : cell->second, "\", was \"",
                        value, "\"")});
    }
  }

  // Checks that two operations have the same id if and only if they are the
  // same.
  void holdCorrelation(const Happened& op, const PlainGroup& group,
                       std::uint32_t rank, const Row& row) {
    const auto id = row.find("correlation_id");
    if (id == row.end()) {
      lies_.push_back({"correlation id", "is missing"});
      return;
    }
    std::string one = absl::StrCat(op.call.group, " ", op.seq);
    if (op.call.peer_plus_1 > 0) {
      const std::uint32_t peer = group.members[op.call.peer_plus_1 - 1];
      const bool sends = op.call.op == v1::OPERATION_SEND;
      absl::StrAppend(&one, " ", sends ? rank : peer, ">", sends ? peer : rank);
    }
    const std::string& meant =
        meant_.try_emplace(id->second, one).first->second;
    const std::string& known = ids_.try_emplace(one, id->second).first->second;
    if (meant == one && known == id->second) return;
    lies_.push_back({"correlation id", absl::StrCat(id->second, " is of ",
                                                    meant, " and of ", one)});
  }

  const Trial& trial_;
  Lies& lies_;
  // The operation of each id, and the reverse.
  std::map<std::string, std::string> meant_;
  std::map<std::string, std::string> ids_;
};

}  // namespace

std::string exportedCsv(const TraceSet& set) {
  return written(set, *makeCsvWriter(RowReader::kProgram));
}

void checkExport(const Trial& trial, const TraceSet& set, Lies& lies) {
  ExportCheck(trial, lies).check(set);
}

}  // namespace traced::truth
