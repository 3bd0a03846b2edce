// toml++, fit for input that nobody has checked.
//
// Its parser asserts of some characters what it then reports as an error, and
// with NDEBUG it lets the compiler assume so. Here it does neither.

#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
