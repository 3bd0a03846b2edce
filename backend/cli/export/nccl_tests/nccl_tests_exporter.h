// What nccl-tests says of its runs (JSON, version 3), of the collectives of a
// job. See docs/export.md.

#pragma once

#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

std::unique_ptr<JobExporter> makeNcclTestsExporter();

}  // namespace traced
