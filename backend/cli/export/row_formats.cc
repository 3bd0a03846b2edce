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

}  // namespace traced
