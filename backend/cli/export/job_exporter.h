// JobExporter writes a part of a run for another tool, in one walk over its
// matched operations.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

#include "absl/types/span.h"
#include "analysis/view/job_view.h"

namespace traced {

class JobExporter {
 public:
  virtual ~JobExporter() = default;

  virtual void write(std::ostream& out, const JobView& view) = 0;
  // What whoever reads it should know; "" when that is nothing.
  virtual std::string note() const { return ""; }
};

struct JobFormat {
  const char* name;
  const char* what;
  std::unique_ptr<JobExporter> (*make)();
  // As many as its readers can take; 0: any number.
  std::uint64_t most_operations = 0;
};

absl::Span<const JobFormat> jobFormats();
// nullptr where there is no such.
const JobFormat* jobFormatNamed(const std::string& name);

}  // namespace traced
