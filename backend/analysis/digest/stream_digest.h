// The digest of one stream: sums over its operations, and what else a report
// tells of it.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "analysis/job/group_catalog.h"
#include "analysis/report/report_sums.h"
#include "analysis/stream/stream_table.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// What rows of a digest are told apart by.
inline const std::vector<ReportKey> kDigestKeys = {
    ReportKey::kOp, ReportKey::kGroup, ReportKey::kDtype, ReportKey::kSize};

// `sums`: of this stream alone, by kDigestKeys and without roles. The payload
// of the chunk that tells of it; `header` is the stream's.
v1::Payload digestOf(const ReportedStream& stream, const ReportPlan& plan,
                     const ReportSums& sums, const v1::Header& header);

}  // namespace traced
