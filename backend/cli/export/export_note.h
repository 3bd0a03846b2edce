// What a format could not carry, in words.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace traced {

struct Remark {
  std::uint64_t operations = 0;
  // What is to be known of them: " left out: ...".
  const char* what;
};

// "2 operations left out: ...; 1 operation ..."; "" where there are none.
std::string noteOf(std::initializer_list<Remark> remarks);

}  // namespace traced
