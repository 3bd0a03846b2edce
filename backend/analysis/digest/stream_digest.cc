#include "analysis/digest/stream_digest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/digest/call_order.h"
#include "analysis/digest/digest_rows.h"
#include "analysis/digest/stream_facts.h"
#include "analysis/digest/unseen_by_row.h"

namespace traced {
namespace {

using RowTexts = std::vector<std::string>;

// Numbers of the rows of a stream by what tells them apart.
class RowsOfStream {
 public:
  RowsOfStream(const ReportedStream& stream, const ReportPlan& plan,
               const ReportSums& sums)
      : stream_(stream), plan_(plan), sizes_(stream.table) {
    absl::flat_hash_map<std::string, std::uint32_t> groups;
    for (std::uint32_t i = 0; i < stream.groups.size(); ++i) {
      groups.try_emplace(stream.catalog.label(stream.groups[i]), i);
    }
    for (const auto& row : sums.rows()) {
      const RowTexts& keys = row->told.keys;
      const auto group = groups.find(keys[1]);
      numbers_[keys] = rows_.size();
      rows_.push_back(
          {keys[0], keys[2], keys[3],
           group == groups.end() ? StreamDefinitions::kNone : group->second,
           row->told.totals, row->samples, row->told.split});
    }
  }

  const std::vector<DigestRow>& rows() const { return rows_; }

  std::size_t numberOf(const AssembledOperation& op) {
    const RowPlace place = plan_.keys.placeOf(stream_.table, op, sizes_);
    const auto [known, is_new] =
        known_.try_emplace({op.call, place.batch_bytes}, 0);
    if (is_new) known->second = search(op, place);
    return known->second;
  }

 private:
  std::size_t search(const AssembledOperation& op, const RowPlace& place) {
    const v1::Call* call = stream_.table.callOf(op);
    const std::uint32_t local =
        call ? stream_.table.groupOf(*call) : StreamDefinitions::kNone;
    const std::uint32_t group = local == StreamDefinitions::kNone
                                    ? GroupCatalog::kNone
                                    : stream_.groups[local];
    return numbers_.at(
        plan_.keys.textsOf(stream_.table, call, place, group, stream_.catalog));
  }

  const ReportedStream& stream_;
  const ReportPlan& plan_;
  const BatchSizes sizes_;
  std::vector<DigestRow> rows_;
  absl::flat_hash_map<RowTexts, std::size_t> numbers_;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::size_t>
      known_;
};

void setUnseen(const ReportedStream& stream, const ReportSums& sums,
               RowsOfStream& rows, v1::StreamDigest& digest) {
  const std::vector<std::uint64_t> by_row = unseenByRow(
      stream.table, rows.rows(),
      [&rows](const AssembledOperation& op) { return rows.numberOf(op); });
  if (by_row.empty()) return;
  digest.mutable_row_unseen_ns()->Add(by_row.begin(), by_row.end());
  digest.set_unseen_ns(sums.ranks().front().told.totals.unseen_at_most_ns);
  for (const std::uint32_t group : stream.groups) {
    digest.add_group_unseen_ns(sums.groupTotals()[group].unseen_at_most_ns);
  }
}

}  // namespace

v1::Payload digestOf(const ReportedStream& stream, const ReportPlan& plan,
                     const ReportSums& sums, const v1::Header& header) {
  v1::Payload payload;
  setFacts(stream.table, header, payload);
  RowsOfStream rows(stream, plan, sums);
  absl::flat_hash_map<std::string, std::uint32_t> texts;
  const DigestIds ids = {
      [&](const std::string& text) {
        const auto [known, is_new] = texts.try_emplace(text, 0);
        if (is_new) known->second = addText(payload, text);
        return known->second;
      },
      [&](std::uint32_t group) {
        const auto& groups = stream.table.definitions.groups();
        return group < groups.size() ? groups[group].id : 0;
      }};
  v1::StreamDigest& digest = *payload.mutable_digest();
  addRows(rows.rows(), ids, digest);
  const StateTimes& states = sums.ranks().front().told.states;
  for (const std::uint64_t ns :
       {states.waiting_low_ns, states.waiting_ns, states.waiting_high_ns,
        states.transfer_ns, states.exposed_ns}) {
    digest.add_state_ns(ns);
  }
  setUnseen(stream, sums, rows, digest);
  addOrder(stream.table, stream.groups, digest);
  return payload;
}

}  // namespace traced
