// What is remembered of Python's code objects, by where they lie: until one is
// freed, as another one may come to lie there.

#pragma once

#include <cstdint>
#include <vector>

#include "c10d/program/code_kinds.h"

namespace traced {

// The first time; the folders tell whose code is whose. With the GIL.
void watchCode(const std::vector<CodeFolder>& folders);

// The rest once it is watched. Its caller keeps the code alive, as a frame that
// runs it does.
CodeKind kindOf(const PyCodeObject& code) noexcept;

// It was told in words.
void noteTold(const PyCodeObject& code) noexcept;
// How often code that was told has been freed.
std::uint64_t freedCodes() noexcept;

}  // namespace traced
