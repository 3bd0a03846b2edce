#include "recorder/chunks/operation_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "traced/v1/definitions.pb.h"

namespace traced {
namespace {

using Names = std::array<std::string, kOperationCount>;

// The enum's names without their prefix (docs/format.md).
Names makeNames() {
  constexpr std::size_t kPrefix = sizeof "OPERATION_" - 1;
  Names names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name = v1::Operation_Name(static_cast<v1::Operation>(i));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    names[i] = name.size() > kPrefix ? name.substr(kPrefix) : "operation";
  }
  return names;
}

}  // namespace

const char* operationName(Operation op) noexcept {
  static const Names& names = *new Names(makeNames());  // outlives its users
  const auto index = static_cast<std::size_t>(op);
  return index < names.size() ? names[index].c_str() : "operation";
}

}  // namespace traced
