// What every page has: made from the files of styles and scripts in this folder
// when the project is built.

#pragma once

namespace traced {

struct PagePart {
  const char* text;
  // "sha256-...", as a Content-Security-Policy has it.
  const char* hash;
};

extern const PagePart kPageStyle;
extern const PagePart kPageScript;

}  // namespace traced
