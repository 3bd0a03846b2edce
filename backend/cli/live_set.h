// LiveSet reads the traces of a running job, with what its rings hold beyond
// them.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace_set.h"
#include "recorder/live_rings.h"

namespace traced {

class LiveSet {
 public:
  explicit LiveSet(std::vector<std::string> inputs)
      : inputs_(std::move(inputs)) {}

  // Looks once more; absent while there is nothing to be read. `whole` reads
  // all of each trace, else its latest chunks. Valid until the next look.
  std::optional<TraceSet> look(bool whole);
  // The rings that were found by then.
  const std::vector<LiveRing>& rings() const { return rings_; }

 private:
  // A file in memory: it is gone with this process, however that ends.
  class MemoryFile {
   public:
    explicit MemoryFile(const std::string& content);
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const;

   private:
    int fd_;
  };

  const std::vector<std::string> inputs_;
  std::vector<LiveRing> rings_;
  std::optional<MemoryFile> of_rings_;
};

}  // namespace traced
