// NodeMap determines whether all members of a group are on one node, from the
// node names that the ranks publish.
//
// Thread safety: any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace traced {

class NodeMap {
 public:
  using Ranks = std::vector<std::uint32_t>;
  // Returns the node names of `ranks`, in the same order. Returns nullopt while
  // any of them is unpublished. Must not wait for other ranks.
  using Lookup =
      std::function<std::optional<std::vector<std::string>>(const Ranks&)>;

  enum class Spread : std::uint8_t {
    kUnknown,
    kOneNode,
    kSeveralNodes,
  };

  // `own` is the node name of this process, or "" if unknown.
  explicit NodeMap(std::string own) : own_(std::move(own)) {}

  // Returns the spread of a group. `members` are global ranks, and this process
  // is `members[self]`. Looks up as few names as possible: all of a group
  // within one node, otherwise about as many as a node has ranks.
  Spread spreadOf(const Ranks& members, std::uint32_t self,
                  const Lookup& lookup);

  // Selects the job that published names belong to. Discards cached names if
  // `job` differs from the previous one.
  void begin(std::uint64_t job);

 private:
  // Does the same as `lookup`, but asks it only for ranks not in known_.
  std::optional<std::vector<std::string>> nodesOf(const Ranks& ranks,
                                                  const Lookup& lookup);

  const std::string own_;
  std::mutex mutex_;
  std::uint64_t job_ = 0;
  std::unordered_map<std::uint32_t, std::string> known_;
};

}  // namespace traced
