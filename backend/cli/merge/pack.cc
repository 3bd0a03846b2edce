#include "cli/merge/pack.h"

#include <cctype>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "cli/common/complain.h"
#include "cli/common/json.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/inputs/open_to_copy.h"
#include "ring_io/settings/process_info.h"

namespace traced {
namespace {

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

ExitCode fail(const std::string& why) {
  complain(why);
  return ExitCode::kInternal;
}

}  // namespace

void PackOutput::declare(CLI::App& app) {
  CLI::Option* pack = app.add_option(
      "--pack", names_.folder,
      "Write what no file of this folder has yet into new files there, to be "
      "sent elsewhere; the folder is made if it is not there");
  app.add_option("--name", names_.name,
                 "With --pack: what they are called, NAME-0001.traced and so "
                 "on; by default the host's name")
      ->needs(pack)
      ->check([](const std::string& name) {
        return fileNameOf(name) == name ? ""
                                        : "letters, digits, '.', '_' and '-', "
                                          "and no '.' in front";
      });
  app.add_option("--max-bytes", max_bytes_,
                 "With --pack: how large a file may become, as 256MB; what is "
                 "more goes into the next")
      ->needs(pack)
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(kLeastBytes, ~std::uint64_t{0}))
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
  Json told = Json::array();
  for (const Pack& pack : packs) {
    there -= pack.chunks;
    told.push_back({{"path", pack.path},
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

}  // namespace traced
