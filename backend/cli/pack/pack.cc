#include "cli/pack/pack.h"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/pack/write_packs.h"
#include "cli/common/complain.h"
#include "cli/common/json.h"
#include "cli/common/progress.h"
#include "cli/common/text.h"
#include "cli/inputs/inputs.h"
#include "cli/inputs/open_to_copy.h"
#include "recorder/settings/process_info.h"

namespace traced {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kLeastBytes = std::uint64_t{64} << 10;

// A name of files: what else it has becomes "_".
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

class PackVerb : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    inputs_.declareJson(app);
    app.add_option("-o,--output", names_.folder,
                   "The folder of the packs; it is made if it is not there")
        ->required();
    app.add_option("--name", names_.name,
                   "What its packs are called: NAME-0001.traced and so on; by "
                   "default the host's name")
        ->check([](const std::string& name) {
          return fileNameOf(name) == name ? ""
                                          : "letters, digits, '.', '_' and "
                                            "'-', and no '.' in front";
        });
    app.add_option("--max-bytes", max_bytes_,
                   "How large a pack may become, as 256MB; what is more goes "
                   "into the next")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(kLeastBytes, ~std::uint64_t{0}))
        ->capture_default_str();
    app.footer("Example: tracectl pack /local/traces/run42 -o /shared/run42");
  }

  ExitCode run() override {
    if (names_.name.empty()) names_.name = fileNameOf(readHostInfo().host);
    const auto source = openToCopy(inputs_, "pack");
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
    const std::vector<std::string> warnings =
        warningsOfCopy(source->set, "pack");
    say(source->set, *packs, warnings);
    return inputs_.conclude(warnings);
  }

 private:
  static ExitCode fail(const std::string& why) {
    complain(why);
    return ExitCode::kInternal;
  }

  void say(const TraceSet& set, const std::vector<Pack>& packs,
           const std::vector<std::string>& warnings) const {
    std::uint64_t there = chunksOf(set);
    Json told = Json::array();
    for (const Pack& pack : packs) {
      there -= pack.chunks;
      told.push_back({{"path", pack.path},
                      {"streams", pack.streams},
                      {"chunks", pack.chunks},
                      {"bytes", pack.bytes}});
      if (inputs_.json()) continue;
      std::cout << printable(absl::StrCat(pack.path, ": ",
                                          countOf(pack.streams, "stream"), ", ",
                                          countOf(pack.chunks, "chunk"), ", ",
                                          bytesText(pack.bytes)))
                << "\n";
    }
    if (inputs_.json()) {
      writeJson(std::cout, {{"schema", kJsonSchema},
                            {"packs", told},
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

  Inputs inputs_;
  PackNames names_;
  std::uint64_t max_bytes_ = kMostBytes;
};

}  // namespace

std::unique_ptr<Subcommand> makePack() { return std::make_unique<PackVerb>(); }

}  // namespace traced
