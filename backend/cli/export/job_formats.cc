#include <algorithm>

#include "cli/export/job_exporter.h"
#include "cli/export/perfetto/perfetto_exporter.h"

namespace traced {
namespace {

constexpr JobFormat kFormats[] = {
    {"perfetto", "a timeline for ui.perfetto.dev", makePerfettoExporter,
     perfetto::kMostOperations},
};

}  // namespace

absl::Span<const JobFormat> jobFormats() { return kFormats; }

const JobFormat* jobFormatNamed(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const JobFormat& one) { return name == one.name; });
  return found == std::end(kFormats) ? nullptr : &*found;
}

}  // namespace traced
