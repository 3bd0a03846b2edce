#include "recorder/context/module_log.h"

#include <deque>
#include <map>
#include <mutex>

namespace traced {
namespace {

// The logs of all running threads and of some that have ended, because a
// backward may still need them.
class ModuleLogs {
 public:
  static ModuleLogs& ofProcess() {
    static auto& logs = *new ModuleLogs;
    return logs;
  }

  std::shared_ptr<ModuleLog> open(std::uint64_t thread_id) {
    std::lock_guard lock(mutex_);
    return logs_[thread_id] = std::make_shared<ModuleLog>();
  }
  void ended(std::uint64_t thread_id) {
    std::lock_guard lock(mutex_);
    ended_.push_back(thread_id);
    if (ended_.size() <= kEndedThreads) return;
    logs_.erase(ended_.front());
    ended_.pop_front();
  }
  std::shared_ptr<const ModuleLog> find(std::uint64_t thread_id) const {
    std::lock_guard lock(mutex_);
    const auto found = logs_.find(thread_id);
    return found == logs_.end() ? nullptr : found->second;
  }

 private:
  static constexpr std::size_t kEndedThreads = 64;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<ModuleLog>> logs_;
  std::deque<std::uint64_t> ended_;
};

struct OwnLog {
  explicit OwnLog(std::uint64_t thread_id)
      : id(thread_id), log(ModuleLogs::ofProcess().open(id)) {}
  ~OwnLog() { ModuleLogs::ofProcess().ended(id); }

  const std::uint64_t id;
  const std::shared_ptr<ModuleLog> log;
};

}  // namespace

ModuleLog::~ModuleLog() {
  for (auto& block : blocks_) delete block.load(std::memory_order_relaxed);
}

void ModuleLog::note(std::uint64_t next_node, std::uint32_t module) {
  const std::uint64_t count = count_.load(std::memory_order_relaxed);
  if (count > 0) {
    Entry& last = entry(count - 1);
    const auto noted = last.module.load(std::memory_order_relaxed);
    if (noted == module) return;
    // No node was created since.
    if (last.first_node.load(std::memory_order_relaxed) == next_node) {
      last.module.store(module, std::memory_order_relaxed);
      return;
    }
  }
  auto& block = blocks_[count % kEntries / kBlockEntries];
  if (!block.load(std::memory_order_relaxed)) {
    block.store(new Block, std::memory_order_release);
  }
  // Release: a reader that sees the new values also sees the count that marks
  // the old entry as overwritten.
  Entry& next = entry(count);
  next.first_node.store(next_node, std::memory_order_release);
  next.module.store(module, std::memory_order_release);
  count_.store(count + 1, std::memory_order_release);
}

std::optional<std::uint32_t> ModuleLog::at(std::uint64_t node) const noexcept {
  const std::uint64_t count = count_.load(std::memory_order_acquire);
  // The oldest entry may be in the middle of being overwritten.
  const std::uint64_t oldest = count < kEntries ? 0 : count - kEntries + 1;
  std::uint64_t begin = oldest, end = count;
  while (begin < end) {  // finds the first entry after the node
    const std::uint64_t middle = begin + (end - begin) / 2;
    const bool is_behind =
        entry(middle).first_node.load(std::memory_order_acquire) > node;
    (is_behind ? end : begin) = is_behind ? middle : middle + 1;
  }
  if (begin == oldest) return std::nullopt;
  const auto module = entry(begin - 1).module.load(std::memory_order_acquire);
  const std::uint64_t now = count_.load(std::memory_order_relaxed);
  // overwritten meanwhile
  if (now >= begin - 1 + kEntries) return std::nullopt;
  return module;
}

ModuleLog& moduleLogOfThread(std::uint64_t thread_id) {
  thread_local const OwnLog own(thread_id);
  return *own.log;
}

const ModuleLog* findModuleLog(std::uint64_t thread_id) noexcept {
  // Cached, because a backward asks for the same log many times.
  thread_local struct {
    std::uint64_t id = 0;
    std::shared_ptr<const ModuleLog> log;
  } latest;
  if (!latest.log || latest.id != thread_id) {
    latest = {thread_id, ModuleLogs::ofProcess().find(thread_id)};
  }
  return latest.log.get();
}

}  // namespace traced
