// NodeMap tells whether the members of a group are on one node, from what the
// ranks of the job say of themselves.
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
  // The nodes of these ranks, in their order; nullopt while not all of them
  // have said it. Must not wait for any of them.
  using Lookup =
      std::function<std::optional<std::vector<std::string>>(const Ranks&)>;

  enum class Spread : std::uint8_t {
    kUnknown,
    kOneNode,
    kSeveralNodes,
  };

  // `own` is the node of this process; "" when it is not known.
  explicit NodeMap(std::string own) : own_(std::move(own)) {}

  // How the members of a group, global ranks of which this process is number
  // `self`, are spread. Looks up as few of them as will do: of a group within a
  // node all, of another one hardly more than a node has.
  Spread spreadOf(const Ranks& members, std::uint32_t self,
                  const Lookup& lookup);

  // What ranks said holds for one job; `job` names another one than before if
  // it is another number.
  void begin(std::uint64_t job);

 private:
  std::optional<std::vector<std::string>> nodesOf(const Ranks& ranks,
                                                  const Lookup& lookup);

  const std::string own_;
  std::mutex mutex_;
  std::uint64_t job_ = 0;
  std::unordered_map<std::uint32_t, std::string> known_;
};

}  // namespace traced
