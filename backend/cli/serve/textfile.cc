#include "cli/serve/textfile.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/merge/pending_file.h"

namespace traced {

struct Textfile::State {
  Write write;
  std::mutex mutex;
  std::string pending;
  std::vector<std::string> messages;
  bool has_failed = false;

  void writePending() {
    std::unique_lock lock(mutex);
    const std::string text = std::exchange(pending, "");
    lock.unlock();
    std::string problem = write(text);
    lock.lock();
    // Only the first problem is reported: a full folder may have room later.
    if (problem.empty() || std::exchange(has_failed, true)) return;
    messages.push_back(std::move(problem));
  }
};

Textfile::Textfile(Write write) : state_(std::make_shared<State>()) {
  state_->write = std::move(write);
}

void Textfile::put(std::string text) {
  const std::lock_guard lock(state_->mutex);
  const bool is_posted = !state_->pending.empty();
  state_->pending = std::move(text);
  if (!is_posted) background_.post([state = state_] { state->writePending(); });
}

std::vector<std::string> Textfile::takeMessages() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->messages, {});
}

void Textfile::finish(std::chrono::nanoseconds timeout) {
  background_.finish(timeout);
}

Textfile::Write textfileIn(const std::string& folder) {
  return [path = absl::StrCat(folder, "/traced.prom")](
             const std::string& text) -> std::string {
    PendingFile file(path, Existing::kReplaced);
    file.stream() << text;
    if (file.ok() && file.commit()) return "";
    return absl::StrCat("--textfile: ", file.problem());
  };
}

}  // namespace traced
