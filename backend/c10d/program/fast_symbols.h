// The symbol reader of TRACED_SYMBOLIZE=fast: torch's own reader of symbol
// tables and debug information, which needs no other process.

#pragma once

#include <memory>

#include "recorder/stacks/symbol_reader.h"

namespace traced {

std::unique_ptr<SymbolReader> fastSymbolReader();

}  // namespace traced
