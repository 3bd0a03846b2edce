// A timeline as ui.perfetto.dev and its trace processor read it: Perfetto's
// TracePackets, gzipped. docs/export.md says what is where.

#pragma once

#include <cstdint>
#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

namespace perfetto {
// Perfetto's page gets slow where it unpacks more than about 400 MB.
inline constexpr std::uint64_t kMostOperations = 1'200'000;
}  // namespace perfetto

std::unique_ptr<JobExporter> makePerfettoExporter();

}  // namespace traced
