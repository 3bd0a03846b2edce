// Adds the digest of one stream to the sums of a report.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/digest/digest_row.h"
#include "analysis/digest/unseen_ways.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/group_roles.h"
#include "analysis/report/report_sums.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// What of a report the digests are added to.
struct DigestReportPlan {
  std::vector<ReportKey> by;
  const GroupCatalog& catalog;
  // nullptr: each group has rows of its own.
  const GroupRoles* roles;
};

class DigestAdder {
 public:
  // `place`: of the stream among those of the run; `groups`: as ReportedStream
  // has them.
  DigestAdder(const DigestReportPlan& plan, ReportSums& sums, std::size_t place,
              const StreamTable& table, absl::Span<const std::uint32_t> groups)
      : plan_(plan),
        sums_(sums),
        place_(place),
        table_(table),
        groups_(groups) {}

  void add(std::vector<DigestRow> rows, const v1::StreamDigest& digest);

 private:
  std::uint32_t groupOf(const DigestRow& row) const;
  std::vector<std::string> keysOf(const DigestRow& row) const;
  UnseenWay wayOf(bool by_role) const;
  void addUnseen(absl::Span<const DigestRow> rows,
                 const v1::StreamDigest& digest);

  const DigestReportPlan& plan_;
  ReportSums& sums_;
  const std::size_t place_;
  const StreamTable& table_;
  const absl::Span<const std::uint32_t> groups_;
};

}  // namespace traced
