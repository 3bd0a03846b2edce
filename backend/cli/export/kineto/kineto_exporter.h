// Chrome's JSON as PyTorch's profiler writes it, a file per rank: for
// HolisticTraceAnalysis. See docs/export.md.

#pragma once

#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

std::unique_ptr<JobExporter> makeKinetoExporter();

}  // namespace traced
