// Runs and their digests, side by side under one name.

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/temp_dir.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {

// A folder for traces and one for digests: what is told of either has the same
// title.
class DigestedRuns {
 public:
  std::string traces() const { return dir_.path() + "/traces"; }
  std::string digests() const { return dir_.path() + "/digests"; }

  // Makes digests()/NAME of traces()/NAME, with no more of the traces in it
  // than must be.
  Ran digest(const std::string& name, const std::string& inputs = "",
             const std::string& options = "--latest 0 --force") const {
    std::filesystem::create_directories(digests());
    const std::string from = inputs.empty() ? name : inputs;
    return runTracectl(
        "digest " + options + " " + from + " -o " + digests() + "/" + name, "",
        "cd " + traces() + "; COLUMNS=");
  }
  Ran ofTraces(const std::string& command) const {
    return runTracectl(command, "", "cd " + traces() + "; COLUMNS=");
  }
  Ran ofDigests(const std::string& command) const {
    return runTracectl(command, "", "cd " + digests() + "; COLUMNS=");
  }

 private:
  const TempDir dir_;
};

// Without what digests never have.
inline nlohmann::json withoutPictures(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  json.erase("pictures");
  return json;
}

}  // namespace traced::testing
