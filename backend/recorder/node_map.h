// NodeMap determines which members of a group are on the node of this process,
// from the node names that the ranks publish.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>
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

  // Returns for each member whether it is known to be on this node, or nullopt
  // while a name is unpublished. Asks for all names of a group of at most
  // kMaxAsked ranks. In a larger one it asks for the names on both sides of
  // this process until one is of another node, and knows no others.
  static constexpr std::size_t kMaxAsked = 64;
  std::optional<std::vector<bool>> hereOf(const Ranks& members,
                                          std::uint32_t self,
                                          const Lookup& lookup);

  // Selects the job that published names belong to. Discards cached names if
  // `job` differs from the previous one.
  void begin(std::uint64_t job);

 private:
  // Marks in `here` the members on this node from `from` towards either end,
  // and stops at the first of another. Returns false while one is unpublished.
  bool walk(const Ranks& members, std::ptrdiff_t from, std::ptrdiff_t step,
            const Lookup& lookup, std::vector<bool>& here);
  // Does the same as `lookup`, but asks it only for ranks not in known_.
  std::optional<std::vector<std::string>> nodesOf(const Ranks& ranks,
                                                  const Lookup& lookup);

  const std::string own_;
  std::mutex mutex_;
  std::uint64_t job_ = 0;
  std::unordered_map<std::uint32_t, std::string> known_;
};

}  // namespace traced
