// An OTF2 archive: for Vampir, Scalasca, ViTE and OTF2's own programs. See
// docs/export.md.

#pragma once

#include <memory>

#include "cli/export/job_exporter.h"

namespace traced {

std::unique_ptr<JobExporter> makeOtf2Exporter();

}  // namespace traced
