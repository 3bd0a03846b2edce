// JSON lines as NCCL's Inspector writes them. See docs/export.md.

#pragma once

#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

std::unique_ptr<JobExporter> makeInspectorExporter();

}  // namespace traced
