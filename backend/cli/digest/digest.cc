#include "cli/digest/digest.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/digest/write_digests.h"
#include "cli/common/complain.h"
#include "cli/common/json.h"
#include "cli/common/text.h"
#include "cli/inputs/inputs.h"

namespace traced {
namespace {

class DigestCommand : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    inputs_.declareAttempt(app);
    inputs_.takeDigests();
    app.add_option("-o,--output", output_, "The file to write")
        ->capture_default_str();
    app.add_flag("--force", force_, "Replace the file if it is there");
    app.add_option("--latest", latest_bytes_,
                   "How many bytes of the end of each rank's trace stay as "
                   "they are (default a fortieth and at least 8192, or all "
                   "where sums would take as much)");
    app.footer("Example: tracectl digest run42/ -o run42.digest");
  }

  ExitCode run() override {
    if (!mayWrite(output_, force_)) return ExitCode::kUsage;
    const Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    if (set->streams[set->selected.front()].dump_file) {
      complain(
          "the inputs are Flight Recorder dumps, which are small already; all "
          "other verbs read them as they are");
      return ExitCode::kNothingReadable;
    }
    const Result<DigestResult> written = writeDigests(
        *set, output_, force_ ? Existing::kReplaced : Existing::kKept,
        {latest_bytes_, TRACED_VERSION});
    if (!written) {
      complain(written.error().message);
      return ExitCode::kInternal;
    }
    std::vector<std::string> warnings = set->input_warnings;
    // Of digests all streams go along.
    if (written->trace_bytes > 0) {
      warnings.insert(warnings.end(), set->selection_warnings.begin(),
                      set->selection_warnings.end());
    }
    say(*written, warnings);
    return inputs_.conclude(warnings);
  }

 private:
  void say(const DigestResult& written,
           const std::vector<std::string>& warnings) const {
    if (inputs_.json()) {
      writeJson(std::cout, {{"schema", kJsonSchema},
                            {"output", output_},
                            {"streams", written.streams},
                            {"whole", written.whole},
                            {"bytes", written.bytes},
                            {"trace_bytes", written.trace_bytes},
                            {"warnings", warnings}});
      std::cout << "\n";
      return;
    }
    std::string text =
        absl::StrCat(output_, ": ", countOf(written.streams, "stream"), ", ",
                     bytesText(written.bytes));
    if (written.whole == written.streams) {
      absl::StrAppend(&text,
                      ", the traces as they are: sums would save nothing");
    } else if (written.trace_bytes > 0) {
      absl::StrAppend(&text, " of ", bytesText(written.trace_bytes),
                      " of traces");
    }
    std::cout << printable(text) << "\n";
  }

  Inputs inputs_;
  std::string output_ = "run.digest";
  bool force_ = false;
  std::optional<std::uint64_t> latest_bytes_;
};

}  // namespace

std::unique_ptr<Subcommand> makeDigest() {
  return std::make_unique<DigestCommand>();
}

}  // namespace traced
