#include "analysis/merge/removed_on_signal.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace traced {
namespace {

constexpr int kEndingSignals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

// Static, as another thread may still be in the handler.
char the_path[PATH_MAX];
std::atomic<bool> is_there{false};

// The signal's own action is in place again, and ends the program.
void removeAndEnd(int signal) {
  if (is_there.load()) unlink(the_path);
  raise(signal);
}

void takeOver(int signal) {
  struct sigaction now;
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) {
    return;
  }
  struct sigaction ours = {};
  ours.sa_handler = removeAndEnd;
  ours.sa_flags = SA_RESETHAND | SA_NODEFER;
  sigaction(signal, &ours, nullptr);
}

}  // namespace

RemovedOnSignal::RemovedOnSignal(const std::string& path) {
  if (path.size() >= sizeof the_path) return;
  path.copy(the_path, path.size());
  the_path[path.size()] = '\0';
  is_there.store(true);
  for (const int signal : kEndingSignals) takeOver(signal);
}

RemovedOnSignal::~RemovedOnSignal() { is_there.store(false); }

}  // namespace traced
