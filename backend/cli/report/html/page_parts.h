// What every page of a kind has: made from files of styles and scripts when the
// project is built (cmake/TracedPage.cmake).

#pragma once

namespace traced {

struct PagePart {
  const char* text;
  // "sha256-...", as a Content-Security-Policy has it.
  const char* hash;
};

struct PageParts {
  PagePart style;
  PagePart script;
};

extern const PageParts kReportPage;

}  // namespace traced
