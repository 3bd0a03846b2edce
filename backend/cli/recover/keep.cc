#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/common/complain.h"
#include "cli/common/subcommand.h"
#include "cli/recover/keeper.h"
#include "ring_io/keeper/sweep.h"

namespace traced {
namespace {

using std::chrono::milliseconds;

constexpr int kLockDescriptor = 3;
constexpr milliseconds kSweepTime{100};

// Ignores signals, which are meant for the job. The keeper ends after the job's
// last process.
void ignoreSignals() {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP,
                           SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2}) {
    signal(number, SIG_IGN);
  }
}

// Closes inherited descriptors, for kernels that cannot do so at program start.
void closeInherited(int from) {
  std::vector<int> open;
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    open.push_back(std::atoi(entry->path().filename().c_str()));
  }
  for (const int fd : open) {
    if (fd >= from) close(fd);
  }
}

void takeLastPlace() {
  setpriority(PRIO_PROCESS, 0, 19);
  // Lowers this process's OOM score if permitted. The kernel then kills the
  // process that uses the memory first.
  std::ofstream("/proc/self/oom_score_adj") << -900;
}

class Keep : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FOLDER", folder_, "Absolute path of the job's traces")
        ->required();
    app.add_option("--ring-dir", ring_directory_, "Folder of the job's rings")
        ->required();
    app.add_option("--lock", lock_, "The lock file, open as descriptor 3")
        ->required();
    app.add_option("--from", from_,
                   "Omit this folder from the paths that are printed");
    app.footer(
        "Started by the first traced process of a job: docs/use/keeper.md");
  }

  ExitCode run() override {
    ignoreSignals();
    takeLastPlace();
    closeInherited(kLockDescriptor + 1);
    if (fcntl(kLockDescriptor, F_SETFD, FD_CLOEXEC) != 0) {
      complain("keep is started by what it keeps; see docs/use/keeper.md");
      return ExitCode::kUsage;
    }
    KeeperLock lock(lock_, kLockDescriptor);
    // Runs in a child, because nothing depends on its result.
    const auto sweep = KeeperChild::start([this] {
      sweepRings(ring_directory_, kSweepTime, std::time(nullptr), folder_);
      return std::string();
    });
    Keeper keeper({ring_directory_, lock_, shown(folder_)}, lock);
    malloc_trim(0);
    keeper.run();
    return ExitCode::kFine;
  }

 private:
  // Returns the folder as a user may pass it to a command in the directory
  // where the job was started.
  std::string shown(const std::filesystem::path& folder) const {
    const std::filesystem::path below = folder.lexically_relative(from_);
    const bool is_below = !below.empty() && *below.begin() != "..";
    return (is_below ? below : folder).string();
  }

  std::string folder_;
  std::string ring_directory_;
  std::string lock_;
  std::string from_;
};

}  // namespace

std::unique_ptr<Subcommand> makeKeep() { return std::make_unique<Keep>(); }

}  // namespace traced
