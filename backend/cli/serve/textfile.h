// Textfile replaces the file of --textfile on its own thread: `serve` does not
// wait for a disk.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/serve/background.h"

namespace traced {

class Textfile {
 public:
  // Writes a text. Returns what went wrong, "" if nothing did.
  using Write = std::function<std::string(const std::string& text)>;

  explicit Textfile(Write write);

  // Replaces a text that is still pending.
  void put(std::string text);
  // Returns the first problem of `Write`, once.
  std::vector<std::string> takeMessages();
  // Blocks until the text is written, or until `timeout` passed.
  void finish(std::chrono::nanoseconds timeout);

 private:
  struct State;

  const std::shared_ptr<State> state_;
  Background background_{1};
};

// Returns a function that replaces `folder`/traced.prom as a whole.
Textfile::Write textfileIn(const std::string& folder);

}  // namespace traced
