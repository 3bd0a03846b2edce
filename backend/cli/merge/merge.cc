#include "analysis/merge/merge.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/job/run_summary.h"
#include "analysis/merge/pending_file.h"
#include "analysis/reading/stream_loader.h"
#include "cli/common/complain.h"
#include "cli/common/json.h"
#include "cli/common/subcommand.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/inputs/inputs.h"
#include "cli/inputs/open_to_copy.h"
#include "cli/merge/pack.h"

namespace traced {
namespace {

class Merge : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    CLI::Option* output =
        app.add_option("-o,--output", output_, "The file to write")
            ->capture_default_str();
    CLI::Option* force =
        app.add_flag("--force", force_, "Replace the file if it is there");
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
        TRACED_VERSION, progress.callback());
    progress.done();
    if (!merged) {
      complain(merged.error().message);
      return ExitCode::kInternal;
    }
    std::vector<std::string> warnings =
        inputs_.strict() ? warningsOfAll(set) : warningsOfCopy(set, "merge");
    warnings.insert(warnings.end(), merged->clock_warnings.begin(),
                    merged->clock_warnings.end());
    say(set, *merged, warnings);
    return inputs_.conclude(warnings);
  }

 private:
  // What the streams themselves lost is found only by reading them.
  static std::vector<std::string> warningsOfAll(const TraceSet& set) {
    RunSummary summary;
    StreamLoader loader(set);
    for (const std::size_t i : set.selected) {
      summary.add(loader.load(set.streams[i]));
    }
    return allWarnings(set, summary);
  }

  void say(const TraceSet& set, const MergeResult& merged,
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
