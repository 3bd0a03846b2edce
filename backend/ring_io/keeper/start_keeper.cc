#include "ring_io/keeper/start_keeper.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <utility>

#include "ring_io/keeper/detached_process.h"
#include "ring_io/keeper/keeper_lock.h"
#include "ring_io/recovery/segment_file.h"

namespace traced {

std::string jobStartKey(const std::string& trace, const v1::Header& header) {
  const v1::Rendezvous& met = header.rendezvous();
  std::string key = std::filesystem::path(trace).parent_path().string();
  const auto add = [&key](const std::string& part) {
    key.push_back('\0');
    key += part;
  };
  add(header.job());
  add(met.start());
  if (!met.start().empty()) return key;
  for (const std::string& part :
       {std::to_string(header.attempt()), met.address(),
        std::to_string(met.port()), met.run_id(), met.launcher()}) {
    add(part);
  }
  return key;
}

namespace {

namespace fs = std::filesystem;

// Returns whether this process adopts orphans. The keeper would become its
// child.
bool adoptsOrphans() {
  int is_subreaper = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  return getpid() == 1 || is_subreaper != 0;
}

// Returns the variables with which the loader finds libraries, without those
// that preload others.
std::vector<std::string> variables() {
  std::vector<std::string> kept = {"LC_ALL=C"};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) {
    kept.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  }
  return kept;
}

std::string withoutKeeper(int error) {
  return std::string("no keeper could be started (") + std::strerror(error) +
         "): what a killed process leaves has to be brought back by `tracectl "
         "recover`";
}

// Returns the content of the ring, as a keeper will read it.
std::optional<SegmentContent> contentOf(const std::string& ring) {
  const auto file = SegmentFile::open(ring);
  if (!file) return std::nullopt;
  Result<SegmentContent> content = file->describe();
  if (!content || content->trace_path.empty()) return std::nullopt;
  return *std::move(content);
}

}  // namespace

std::string startKeeper(const KeeperStart& start) {
  if (start.ring.empty() || adoptsOrphans()) return "";
  const auto content = contentOf(start.ring);
  if (!content) return "";
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path folder = fs::path(content->trace_path).parent_path();
  const std::string rings = fs::path(start.ring).parent_path().string();
  const std::string path = KeeperLock::pathFor(
      rings, jobStartKey(content->trace_path, content->header));
  KeeperLock lock(path);
  if (lock.owner() == KeeperLock::Owner::kOthers) return "";
  if (lock.owner() == KeeperLock::Owner::kNobody) return withoutKeeper(errno);
  DetachedProcess keeper;
  keeper.words = {start.program, "keep",        "--lock",
                  path,          "--ring-dir",  rings,
                  "--from",      here.string(), folder.string()};
  keeper.variables = variables();
  keeper.stderr_fd = start.has_stderr ? STDERR_FILENO : -1;
  keeper.inherited_fd = lock.fd();
  const int failed = startDetached(keeper);
  if (failed == 0) return "";
  lock.giveUp();
  return withoutKeeper(failed);
}

}  // namespace traced
