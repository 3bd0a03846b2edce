// Signature: what the ranks of a collective, or the two sides of a message,
// must agree on. Equal signatures are one number, so that matching compares
// numbers.

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
  // Of the tensors that all ranks hand in alike; 0 without.
  std::uint32_t dtype = 0;
  v1::ReduceOp reduce_op = v1::REDUCE_OP_UNSPECIFIED;
  // Group rank; 0: no root.
  std::uint32_t root_plus_1 = 0;
  // Bytes that are equal on all ranks of this operation: of the input, of the
  // output, or both. 0 where they may differ.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  // Of messages of an engine that has regard to it.
  std::optional<std::int32_t> tag;

  bool operator==(const Signature&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Signature& s) {
    return H::combine(std::move(hash), s.op, s.dtype, s.reduce_op,
                      s.root_plus_1, s.bytes_in, s.bytes_out, s.tag);
  }

  std::uint64_t bytes() const { return bytes_in > 0 ? bytes_in : bytes_out; }
};

// Of a collective, by what its source tells.
Signature signatureOf(const v1::Call& call, CapabilitySet capabilities);
// Of a message: a send and its receive have the same, with no operation.
Signature messageOf(const v1::Call& call, const EngineTraits& engine);

// Equal for equal ones in every process and on every host.
std::uint64_t signatureNumber(const Signature& signature);

// "25 MiB".
std::string sizeText(std::uint64_t bytes);
// "all_reduce (25 MiB float32, sum)".
std::string textOf(const Signature& signature);
// The same with the root's global rank; `members`: of the group.
std::string textOf(Signature signature, const RankList& members);

// Not thread safe.
class SignatureTable {
 public:
  std::uint32_t intern(const Signature& signature);
  const Signature& at(std::uint32_t id) const { return signatures_[id]; }

 private:
  std::vector<Signature> signatures_;
  absl::flat_hash_map<Signature, std::uint32_t> ids_;
};

}  // namespace traced
