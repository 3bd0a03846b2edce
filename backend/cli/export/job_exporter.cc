#include "cli/export/job_exporter.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "phrasing/text.h"

namespace traced {

namespace {

#ifdef TRACED_WITH_OTF2
constexpr auto kMakeOtf2 = makeOtf2Exporter;
#else
constexpr std::unique_ptr<JobExporter> (*kMakeOtf2)() = nullptr;
#endif

// Perfetto's page becomes slow above about 400 MB of uncompressed data.
constexpr std::uint64_t kMaxInPerfetto = 1'200'000;

constexpr JobFormat kFormats[] = {
    {"perfetto", "a timeline for ui.perfetto.dev", makePerfettoExporter,
     kMaxInPerfetto},
    {"fr", "Flight Recorder dumps for torchfrtrace", makeFrExporter, 0,
     ExportedAs::kFolder},
    {"fr-json", "the same as JSON", makeFrJsonExporter, 0, ExportedAs::kFolder},
    {"kineto", "a profile per rank for HolisticTraceAnalysis",
     makeKinetoExporter, 0, ExportedAs::kFolder},
    {"nccl-tests", "bandwidths in the format of nccl-tests",
     makeNcclTestsExporter, 0, ExportedAs::kFile, true},
    {"inspector", "lines as NCCL's Inspector writes them",
     makeInspectorExporter, 0, ExportedAs::kFile, true},
    {"chakra", "an execution trace per rank for Chakra", makeChakraExporter, 0,
     ExportedAs::kFolder},
    {"otf2", "an archive for Vampir, Scalasca and ViTE", kMakeOtf2, 0,
     ExportedAs::kFolder},
};

}  // namespace

absl::Span<const JobFormat> jobFormats() { return kFormats; }

std::string noteOf(std::initializer_list<Remark> remarks) {
  std::string note;
  for (const Remark& remark : remarks) {
    if (remark.operations == 0) continue;
    absl::StrAppend(&note, note.empty() ? "" : "; ",
                    countOf(remark.operations, "operation"), remark.what);
  }
  return note;
}

std::string whyNoNewFolder(const std::string& path) {
  if (!isTaken(path)) return "";
  std::error_code error;
  const bool usable = std::filesystem::is_directory(path, error) &&
                      std::filesystem::is_empty(path, error);
  if (usable && !error) return "";
  return absl::StrCat(path, ": is no empty folder; name a new one");
}

ExportedFolder::ExportedFolder(const std::string& path)
    : path_(path), problem_(whyNoNewFolder(path)) {
  if (!problem_.empty() || isTaken(path)) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) problem_ = absl::StrCat(path, ": ", error.message());
}

std::ostream& ExportedFolder::begin(const std::string& name) {
  if (!finish()) return nowhere_;
  file_ = std::make_unique<PendingFile>(absl::StrCat(path_, "/", name),
                                        Existing::kKept);
  return file_->stream();
}

bool ExportedFolder::finish() {
  if (file_ && problem_.empty() && !file_->commit())
    problem_ = file_->problem();
  file_.reset();
  return problem_.empty();
}

}  // namespace traced
