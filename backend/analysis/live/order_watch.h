// OrderWatch detects that ranks make different calls with one sequence number
// of a group: they have diverged, whether or not the job hangs yet.
//
// Each rank numbers the calls of a group in order, so ranks of one program give
// equal numbers to the same call. If two calls with one number differ in what
// all ranks must pass alike (Signature), they cannot be one operation.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace traced {

// Not thread safe. Memory: kWindow entries per group.
class OrderWatch {
 public:
  // Number of sequence numbers remembered per group. Ranks further apart are
  // not compared.
  static constexpr std::size_t kWindow = 4096;

  struct Part {
    std::uint32_t rank = 0;
    // Hash of what all ranks must pass alike (MatchedCall::signature).
    std::uint64_t signature = 0;
    // "all_reduce (25 MiB float32, sum)", and its call site; "" if unknown.
    std::string call;
    std::string site;
  };
  // The first sequence number at which ranks of a group are known to differ.
  struct Divergence {
    std::uint32_t group = 0;
    std::uint64_t seq = 0;
    std::vector<Part> parts;
  };

  // Records the next operation of a rank. `group`: any index, such as that of
  // the job's catalog. Returns true if `seq` is the number at which the group
  // diverged, even if the signature matches: then call add() for the parts of
  // all ranks that are known to have called it. After the divergence, it only
  // searches for an earlier one.
  bool addCall(std::uint32_t group, std::uint64_t seq, std::uint64_t signature);
  // Records that ranks on another host made a different call with this number.
  // Returns true if no divergence of the group at this or an earlier number is
  // known. It then discards the parts of a later one: call add() as above.
  // Returns false, and records nothing, if signatureAt() is nullopt.
  bool dispute(std::uint32_t group, std::uint64_t seq);
  // Returns the signature of the first call recorded with this number. Returns
  // nullopt if no such call was recorded within the window. Calls after the
  // divergence of the group are not recorded.
  std::optional<std::uint64_t> signatureAt(std::uint32_t group,
                                           std::uint64_t seq) const;
  // Returns the highest sequence number recorded before the group diverged, or
  // 0.
  std::uint64_t newest(std::uint32_t group) const;
  // Adds a rank's part if `seq` is the number at which the group diverged.
  // Ignores any other number, further parts of a rank, and too many parts.
  void add(std::uint32_t group, std::uint64_t seq, Part part);

  // One per diverged group, in order of detection.
  const std::vector<Divergence>& divergences() const { return divergences_; }

 private:
  struct Entry {
    std::uint64_t seq = 0;
    std::uint64_t signature = 0;
  };
  struct Group {
    std::vector<Entry> entries;
    std::uint64_t newest = 0;
    // Index into divergences_ plus 1; 0: not diverged.
    std::size_t diverged = 0;
  };

  std::vector<Group> groups_;
  std::vector<Divergence> divergences_;
};

}  // namespace traced
