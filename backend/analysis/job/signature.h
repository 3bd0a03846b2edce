// Signature is what the ranks of a collective, or both sides of a message, must
// agree on. SignatureTable maps equal signatures to equal numbers, so that
// matching compares numbers.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/rank_list.h"
#include "analysis/stream/source_capabilities.h"
#include "base/engine_traits.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

struct Signature {
  // Tensors of several dtypes.
  static constexpr std::uint32_t kMixed = ~std::uint32_t{0};

  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  // The dtype of tensors that all ranks pass alike. 0 without such tensors.
  std::uint32_t dtype = 0;
  v1::ReduceOp reduce_op = v1::REDUCE_OP_UNSPECIFIED;
  // The root's group rank plus 1. 0 if the operation has no root.
  std::uint32_t root_plus_1 = 0;
  // Bytes that must be equal on all ranks: of the input, of the output, or
  // both. 0 if they may differ.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  // Set for messages of an engine that does not ignore tags.
  std::optional<std::int32_t> tag;

  bool operator==(const Signature&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Signature& s) {
    return H::combine(std::move(hash), s.op, s.dtype, s.reduce_op,
                      s.root_plus_1, s.bytes_in, s.bytes_out, s.tag);
  }

  // Returns the input bytes, or the output bytes if `bytes_in` is 0.
  std::uint64_t bytes() const { return bytes_in > 0 ? bytes_in : bytes_out; }
};

// Returns the signature of a collective, as far as its source records it.
Signature signatureOf(const v1::Call& call, CapabilitySet capabilities);
// Returns the signature of a message. Equal for a send and its receive, and
// without an operation.
Signature messageOf(const v1::Call& call, const EngineTraits& engine);

// Returns a number that is equal for equal signatures in every process and on
// every host.
std::uint64_t signatureNumber(const Signature& signature);

// Returns for example "25 MiB".
std::string sizeText(std::uint64_t bytes);
// Returns for example "all_reduce (25 MiB float32, sum)".
std::string textOf(const Signature& signature);
// Like textOf above, with the root's global rank. `members`: the members of the
// group.
std::string textOf(Signature signature, const RankList& members);

// Assigns numbers to signatures. Not thread safe.
class SignatureTable {
 public:
  // Returns the number of a signature. Assigns the next number to a new one.
  std::uint32_t intern(const Signature& signature);
  // Returns the signature with a number that intern() returned. The reference
  // is valid until the next intern().
  const Signature& at(std::uint32_t id) const { return signatures_[id]; }

 private:
  std::vector<Signature> signatures_;
  absl::flat_hash_map<Signature, std::uint32_t> ids_;
};

}  // namespace traced
