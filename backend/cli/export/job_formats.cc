#include "cli/export/chakra/chakra_exporter.h"
#include "cli/export/fr/fr_exporter.h"
#include "cli/export/inspector/inspector_exporter.h"
#include "cli/export/job_exporter.h"
#include "cli/export/kineto/kineto_exporter.h"
#include "cli/export/nccl_tests/nccl_tests_exporter.h"
#ifdef TRACED_WITH_OTF2
#include "cli/export/otf2/otf2_exporter.h"
#endif
#include "cli/export/perfetto/perfetto_exporter.h"

namespace traced {
namespace {

#ifdef TRACED_WITH_OTF2
constexpr auto kMakeOtf2 = makeOtf2Exporter;
#else
constexpr std::unique_ptr<JobExporter> (*kMakeOtf2)() = nullptr;
#endif

constexpr JobFormat kFormats[] = {
    {"perfetto", "a timeline for ui.perfetto.dev", makePerfettoExporter,
     perfetto::kMostOperations},
    {"fr", "Flight Recorder dumps for torchfrtrace", makeFrExporter, 0,
     ExportedAs::kFolder},
    {"fr-json", "the same as JSON", makeFrJsonExporter, 0, ExportedAs::kFolder},
    {"kineto", "a profile per rank for HolisticTraceAnalysis",
     makeKinetoExporter, 0, ExportedAs::kFolder},
    {"nccl-tests", "bandwidths as nccl-tests tells them", makeNcclTestsExporter,
     0, ExportedAs::kFile, true},
    {"inspector", "lines as NCCL's Inspector writes them",
     makeInspectorExporter, 0, ExportedAs::kFile, true},
    {"chakra", "an execution trace per rank for Chakra", makeChakraExporter, 0,
     ExportedAs::kFolder},
    {"otf2", "an archive for Vampir, Scalasca and ViTE", kMakeOtf2, 0,
     ExportedAs::kFolder},
};

}  // namespace

absl::Span<const JobFormat> jobFormats() { return kFormats; }

}  // namespace traced
