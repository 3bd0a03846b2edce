// How a change is written in text, Markdown and sentences.

#pragma once

#include <cstddef>
#include <string>

#include "analysis/compare/comparison.h"

namespace traced {

// "+12.3 %" of 1.123.
std::string ratioCell(double ratio);

// "worse, follows"; "" of none.
const char* kindCell(ChangeKind kind, bool follows);

// The first finding as a sentence, and how many more reasons there are and how
// many figures follow. `reasons`: with the first.
std::string worseSentence(const std::string& first, std::size_t reasons,
                          std::size_t following);

}  // namespace traced
