#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "cli/export/parquet/job_tables.h"

namespace traced {
namespace {

const TableSpec& verdictTableSpec() {
  constexpr auto kText = ColumnKind::kText;
  static const TableSpec spec = {"verdicts",
                                 {{"verdict"},
                                  {"kind", kText},
                                  {"confidence", kText},
                                  {"finding_confidence", kText},
                                  {"culprit_confidence", kText},
                                  {"culprits", kText},
                                  {"ranks", kText},
                                  {"group_label", kText},
                                  {"seq"},
                                  {"src"},
                                  {"dst"},
                                  {"op", kText},
                                  {"since_ns"},
                                  {"waited_ns"},
                                  {"summary", kText},
                                  {"evidence", kText},
                                  {"consequence", kText},
                                  {"advice", kText}},
                                 {"verdict"}};
  return spec;
}

const TableSpec& verdictRankSpec() {
  static const TableSpec spec = {
      "verdict_ranks",
      {{"verdict"}, {"rank"}, {"is_culprit", ColumnKind::kFlag}},
      {"verdict", "rank"}};
  return spec;
}

std::int64_t instantOrNone(const std::optional<std::int64_t>& ns) {
  return ns.value_or(kNoValue);
}

void addVerdict(TableFile& file, std::int64_t number, const JobVerdict& verdict,
                const GroupCatalog& groups) {
  const bool has_group = verdict.group != GroupCatalog::kNone;
  const auto& pair = verdict.pair;
  std::size_t column = 0;
  file[column++].add(number);
  file[column++].addText(nameOf(verdict.kind));
  file[column++].addText(nameOf(verdict.confidence()));
  file[column++].addText(nameOf(verdict.finding));
  file[column++].addText(nameOf(verdict.culprit));
  file[column++].addText(absl::StrJoin(verdict.culprits, ","));
  file[column++].addText(absl::StrJoin(verdict.ranks, ","));
  file[column++].addText(has_group ? groups.label(verdict.group) : "");
  file[column++].add(verdict.seq > 0 ? TableColumn::fitting(verdict.seq)
                                     : kNoValue);
  file[column++].add(pair ? std::int64_t{pair->first} : kNoValue);
  file[column++].add(pair ? std::int64_t{pair->second} : kNoValue);
  file[column++].addText(verdict.op);
  file[column++].add(instantOrNone(verdict.since_ns));
  file[column++].add(instantOrNone(verdict.waited_ns));
  file[column++].addText(verdict.summary);
  file[column++].addText(absl::StrJoin(verdict.evidence, "\n"));
  file[column++].addText(verdict.consequence);
  file[column++].addText(absl::StrJoin(verdict.advice, "\n"));
  file.endRow();
}

void addVerdictRanks(TableFile& file, std::int64_t number,
                     const JobVerdict& verdict) {
  std::set<std::uint32_t> ranks(verdict.ranks.begin(), verdict.ranks.end());
  const std::set<std::uint32_t> culprits(verdict.culprits.begin(),
                                         verdict.culprits.end());
  ranks.insert(culprits.begin(), culprits.end());
  for (const std::uint32_t rank : ranks) {
    file[0].add(number);
    file[1].add(rank);
    file[2].addFlag(culprits.count(rank) > 0);
    file.endRow();
  }
}

}  // namespace

void writeVerdicts(const TableFolder& folder, const Diagnosis& diagnosis) {
  TableFile verdicts(folder, verdictTableSpec(), 0);
  TableFile ranks(folder, verdictRankSpec(), 0);
  std::int64_t number = 0;
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    ++number;
    addVerdict(verdicts, number, verdict, diagnosis.job.catalog);
    addVerdictRanks(ranks, number, verdict);
  }
  verdicts.finish();
  ranks.finish();
}

}  // namespace traced
