// The screen that text goes to.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace traced {

// Longer tables leave out the rows that matter least.
inline constexpr std::size_t kScreenRows = 30;

// How many columns a line of text on standard output has: those of the
// terminal, or what COLUMNS says, but at least 100.
std::size_t screenColumns();

// Standard output is a terminal that shows colours, and nobody asked for none
// (NO_COLOR).
bool wantsColours();

// Text that a terminal shows so; as it is where colours are not wanted.
std::string bold(const std::string& text, bool colours);
std::string red(const std::string& text, bool colours);
std::string yellow(const std::string& text, bool colours);

// Progress shows a person how far a long read is. It is silent in a pipe and
// for short reads.
class Progress {
 public:
  explicit Progress(std::string what);

  // To be called with bytes done and bytes in all; must not outlive this.
  std::function<void(std::uint64_t, std::uint64_t)> callback();
  // Removes the line.
  void done();

 private:
  void show(std::uint64_t bytes, std::uint64_t total);

  const std::string what_;
  const bool terminal_;
  int shown_percent_ = -1;
};

}  // namespace traced
