// The styles and scripts that all pages of a kind share. The build makes them
// from files (cmake/TracedPage.cmake).

#pragma once

namespace traced {

struct PagePart {
  const char* text;
  // "sha256-...", in the form of a Content-Security-Policy.
  const char* hash;
};

struct PageParts {
  PagePart style;
  PagePart script;
};

extern const PageParts kReportPage;

}  // namespace traced
