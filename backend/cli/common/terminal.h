// Terminal width, colours and progress.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace traced {

// Longer tables omit their least important rows.
inline constexpr std::size_t kScreenRows = 30;

// Returns the width of the text on standard output: COLUMNS, else the width of
// the terminal, limited to 60-1000 columns. Returns kScreenColumns (100) if
// neither is known.
std::size_t screenColumns();

// Returns true if standard output is a terminal with colours and NO_COLOR is
// not set.
bool wantsColours();

// Return the text with escape codes for this style. Without `colours` they
// return it unchanged.
std::string bold(const std::string& text, bool colours);
std::string red(const std::string& text, bool colours);
std::string yellow(const std::string& text, bool colours);

// Progress shows the progress of a long read on stderr. It prints nothing if
// stderr is no terminal or the read is short.
class Progress {
 public:
  explicit Progress(std::string what);

  // Returns a callback that takes the bytes done and the total bytes; empty if
  // stderr is no terminal. It must not outlive this object.
  std::function<void(std::uint64_t, std::uint64_t)> callback();
  // Removes the progress line.
  void done();

 private:
  void show(std::uint64_t bytes, std::uint64_t total);

  const std::string what_;
  const bool terminal_;
  int shown_percent_ = -1;
};

}  // namespace traced
