// Flight Recorder dumps for torchfrtrace: a file per rank, as a pickle or as
// JSON. See docs/export.md.

#pragma once

#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

std::unique_ptr<JobExporter> makeFrExporter();
std::unique_ptr<JobExporter> makeFrJsonExporter();

}  // namespace traced
