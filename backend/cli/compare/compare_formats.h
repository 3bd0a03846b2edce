// The files that `tracectl compare` writes for CI systems, one row a format.

#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace traced {

struct CompareFormat {
  const char* option;
  const char* help;
  // `workspace`: the folder that names of files are relative to.
  std::string (*text)(const Comparison& comparison,
                      const std::string& workspace);
};

inline constexpr std::size_t kCompareFormats = 3;
extern const CompareFormat kCompareFormat[kCompareFormats];

}  // namespace traced
