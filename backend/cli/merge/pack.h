// merge --pack: what a node has of a job and was not sent yet, in files to be
// sent elsewhere.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "analysis/pack/write_packs.h"
#include "cli/inputs/inputs.h"

namespace traced {

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

}  // namespace traced
