#include <algorithm>
#include <iterator>

#include "cli/export/export_writer.h"

namespace traced {
namespace {

constexpr RowFormat kRowFormats[] = {
    {"csv", "a row per operation, for tables", makeCsvWriter},
    {"jsonl", "the same, a JSON object per line", makeJsonlWriter},
    {"text", "the same, for reading and grep", makeTextWriter},
};

}  // namespace

absl::Span<const RowFormat> rowFormats() { return kRowFormats; }

const RowFormat* rowFormatNamed(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kRowFormats), std::end(kRowFormats),
                   [&](const RowFormat& one) { return name == one.name; });
  return found == std::end(kRowFormats) ? nullptr : &*found;
}

}  // namespace traced
