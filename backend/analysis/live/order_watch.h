// OrderWatch tells when ranks call different operations under one number of a
// group: they have diverged, whether anything hangs already or not.
//
// Proof: the numbers of a group are drawn by each rank in the order of its
// calls, and ranks of one program draw the same for the same call. Two calls
// with one number that differ in what all ranks must hand in alike (Signature)
// are no one operation.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace traced {

// Not thread safe. Memory: kWindow entries for each group.
class OrderWatch {
 public:
  // Numbers of a group that are remembered. Ranks that are further apart are
  // not compared.
  static constexpr std::size_t kWindow = 4096;

  struct Part {
    std::uint32_t rank = 0;
    std::uint64_t signature = 0;
    // "all_reduce (25 MiB float32, sum)", and where it was called; "" where
    // that is not known.
    std::string call;
    std::string site;
  };
  // The first number of a group at which ranks were seen to differ.
  struct Divergence {
    std::uint32_t group = 0;
    std::uint64_t seq = 0;
    std::vector<Part> parts;
  };

  // Takes the next operation of a rank. True if the parts in it that are known
  // are to be told to add().
  bool isNews(std::uint32_t group, std::uint64_t seq, std::uint64_t signature);
  // Ranks elsewhere called something else under that number. True if parts in
  // it are to be told: the first number at which a group is known to have
  // diverged is the one that counts.
  bool dispute(std::uint32_t group, std::uint64_t seq);
  // What was called first under a number; absent where that is not known any
  // more, or not yet.
  std::optional<std::uint64_t> signatureAt(std::uint32_t group,
                                           std::uint64_t seq) const;
  // The last number that is known; 0: none is.
  std::uint64_t newest(std::uint32_t group) const;
  // A part in the number at which a group diverged; others are not kept.
  void add(std::uint32_t group, std::uint64_t seq, Part part);

  // One for each group that diverged, in the order in which they did.
  const std::vector<Divergence>& divergences() const { return divergences_; }

 private:
  struct Entry {
    std::uint64_t seq = 0;
    std::uint64_t signature = 0;
  };
  struct Group {
    std::vector<Entry> entries;
    std::uint64_t newest = 0;
    // Of divergences_, plus 1.
    std::size_t diverged = 0;
  };

  std::vector<Group> groups_;
  std::vector<Divergence> divergences_;
};

}  // namespace traced
