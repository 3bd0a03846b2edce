// Chakra execution traces, a file per rank. See docs/export.md.

#pragma once

#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

std::unique_ptr<JobExporter> makeChakraExporter();

}  // namespace traced
