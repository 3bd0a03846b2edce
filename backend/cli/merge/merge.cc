#include "analysis/merge/merge.h"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/job/run_summary.h"
#include "analysis/merge/pending_file.h"
#include "analysis/pack/packs.h"
#include "analysis/reading/stream_loader.h"
#include "cli/common/complain.h"
#include "cli/common/json.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/inputs/inputs.h"
#include "cli/inputs/open_to_copy.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"
#include "ring_io/settings/process_info.h"

namespace traced {
namespace {

constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10;

// Returns a name for files. Other characters become "_".
std::string fileNameOf(std::string name) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

std::uint64_t chunksOf(const TraceSet& set) {
  std::uint64_t chunks = 0;
  for (const TraceStream& stream : set.streams) chunks += stream.chunks.size();
  return chunks;
}

// Reports an error and returns the exit code for it.
ExitCode fail(const std::string& why) {
  complain(why);
  return ExitCode::kInternal;
}

// Implements `merge --pack`: writes the part of a job on this node that was not
// sent yet, as files to send elsewhere.
class PackOutput {
 public:
  // Adds the options --pack, --name and --max-bytes.
  void declare(CLI::App& app);
  bool isWanted() const { return !names_.folder.empty(); }
  ExitCode write(Inputs& inputs);

 private:
  void print(const Inputs& inputs, const TraceSet& set,
             const std::vector<Pack>& packs,
             const std::vector<std::string>& warnings) const;

  PackNames names_;
  std::uint64_t max_bytes_ = std::uint64_t{1} << 30;
};

void PackOutput::declare(CLI::App& app) {
  CLI::Option* pack = app.add_option(
      "--pack", names_.folder,
      "Write records that are in no file of this folder into new files there, "
      "for upload. Creates the folder if needed");
  app.add_option("--name", names_.name,
                 "With --pack: base name of the files, as in NAME-0001.traced "
                 "(default: the host's name)")
      ->needs(pack)
      ->check([](const std::string& name) {
        return fileNameOf(name) == name ? ""
                                        : "letters, digits, '.', '_' and '-', "
                                          "and no '.' in front";
      });
  app.add_option("--max-bytes", max_bytes_,
                 "With --pack: maximum size of a file, such as 256MB. More "
                 "data starts another file")
      ->needs(pack)
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(kMinBytes, ~std::uint64_t{0}))
      ->capture_default_str();
}

ExitCode PackOutput::write(Inputs& inputs) {
  if (names_.name.empty()) names_.name = fileNameOf(readHostInfo().host);
  const auto source = openToCopy(inputs, "pack");
  if (!source) return ExitCode::kNothingReadable;
  std::error_code error;
  std::filesystem::create_directories(names_.folder, error);
  if (error) return fail(names_.folder + ": " + error.message());
  const PackedChunks packed(names_);
  Progress progress("packing");
  const Result<std::vector<Pack>> packs =
      writePacks(source->set, packed,
                 {names_, max_bytes_, source->running == 0, TRACED_VERSION},
                 progress.callback());
  progress.done();
  if (!packs) return fail(packs.error().message);
  const std::vector<std::string> warnings = warningsOfCopy(source->set, "pack");
  print(inputs, source->set, *packs, warnings);
  return inputs.conclude(warnings);
}

void PackOutput::print(const Inputs& inputs, const TraceSet& set,
                       const std::vector<Pack>& packs,
                       const std::vector<std::string>& warnings) const {
  std::uint64_t there = chunksOf(set);
  Json packs_json = Json::array();
  for (const Pack& pack : packs) {
    there -= pack.chunks;
    packs_json.push_back({{"path", pack.path},
                          {"streams", pack.streams},
                          {"chunks", pack.chunks},
                          {"bytes", pack.bytes}});
    if (inputs.json()) continue;
    std::cout << printable(absl::StrCat(pack.path, ": ",
                                        countOf(pack.streams, "stream"), ", ",
                                        countOf(pack.chunks, "chunk"), ", ",
                                        bytesText(pack.bytes)))
              << "\n";
  }
  if (inputs.json()) {
    writeJson(std::cout, {{"schema", kJsonSchema},
                          {"packs", packs_json},
                          {"packed_before", there},
                          {"unusable_bytes", set.unusable_bytes},
                          {"warnings", warnings}});
    std::cout << "\n";
  } else if (packs.empty()) {
    std::cout << printable(absl::StrCat(names_.folder, ": has all ",
                                        countOf(there, "chunk"), " already"))
              << "\n";
  }
}

class Merge : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app, /*required=*/true);
    inputs_.declareJson(app);
    CLI::Option* output =
        app.add_option("-o,--output", output_, "The file to write")
            ->capture_default_str();
    CLI::Option* force =
        app.add_flag("--force", force_, "Replace an existing file");
    pack_.declare(app);
    app.get_option("--pack")->excludes(output)->excludes(force);
    app.footer(
        "Examples: tracectl merge run42/ -o run42.traced\n"
        "          tracectl merge /local/run42 --pack /shared/run42");
  }

  ExitCode run() override {
    if (pack_.isWanted()) return pack_.write(inputs_);
    if (!mayWrite(output_, force_)) return ExitCode::kUsage;
    const auto source = openToCopy(inputs_, "merge");
    if (!source) return ExitCode::kNothingReadable;
    const TraceSet& set = source->set;

    Progress progress("merging");
    const Result<MergeResult> merged = writeMerged(
        set, output_, force_ ? Existing::kReplaced : Existing::kKept,
        TRACED_VERSION, clockText, progress.callback());
    progress.done();
    if (!merged) {
      complain(merged.error().message);
      return ExitCode::kInternal;
    }
    std::vector<std::string> warnings =
        inputs_.strict() ? warningsOfAll(set) : warningsOfCopy(set, "merge");
    warnings.insert(warnings.end(), merged->clock_warnings.begin(),
                    merged->clock_warnings.end());
    printResult(set, *merged, warnings);
    return inputs_.conclude(warnings);
  }

 private:
  // Reads the streams, because only their content shows their losses.
  static std::vector<std::string> warningsOfAll(const TraceSet& set) {
    RunSummary summary;
    StreamLoader loader(set);
    for (const std::size_t i : set.selected) {
      summary.add(loader.load(set.streams[i]));
    }
    return allWarnings(set, summary);
  }

  void printResult(const TraceSet& set, const MergeResult& merged,
                   const std::vector<std::string>& warnings) const {
    if (!inputs_.json()) {
      std::cout << printable(absl::StrCat(output_, ": ",
                                          countOf(merged.streams, "stream"),
                                          ", ", countOf(merged.chunks, "chunk"),
                                          ", ", bytesText(merged.bytes)))
                << "\n";
      return;
    }
    const Json json = {
        {"schema", kJsonSchema},     {"output", output_},
        {"streams", merged.streams}, {"chunks", merged.chunks},
        {"bytes", merged.bytes},     {"unusable_bytes", set.unusable_bytes},
        {"warnings", warnings}};
    writeJson(std::cout, json);
    std::cout << "\n";
  }

  Inputs inputs_;
  std::string output_ = "merged.traced";
  bool force_ = false;
  PackOutput pack_;
};

}  // namespace

std::unique_ptr<Subcommand> makeMerge() { return std::make_unique<Merge>(); }

}  // namespace traced
