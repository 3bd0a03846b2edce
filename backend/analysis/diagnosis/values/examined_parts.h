// ExaminedParts compares the hashes of the two sides of each transfer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "analysis/diagnosis/values/examined_stream.h"
#include "analysis/diagnosis/values/reduction_sum.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/operation_index.h"
#include "analysis/stream/stream_table.h"
#include "base/operation.h"

namespace traced {

// Ranks that hold equal data, as ascending ranges [first, last].
struct Holders {
  std::uint64_t hash = 0;
  // Whether this is the sum of all inputs. Absent if that is not known.
  std::optional<bool> adds_up;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;

  // Ranks must be added in ascending order.
  void add(std::uint32_t rank);
  std::vector<std::uint32_t> ranks() const;
};

// A part of a transfer whose sides differ. Ranks are global.
struct PartDifference {
  OperationKey operation;
  std::uint64_t seq = 0;
  Operation op{};  // kSend for a message
  // Number of the tensor among those of one side of the call.
  std::uint32_t tensor = 0;
  std::uint64_t bytes = 0;
  // Absent for the result of a reduction.
  std::optional<std::uint32_t> sender;
  // Hash of what the sender sent. Absent if it was not examined.
  std::optional<std::uint64_t> sent;
  // The memory of a sender changed between the call and the wait for it.
  bool changed = false;
  std::vector<std::uint32_t> changed_by;
  // Group rank plus 1 of the receiver. 0: all of them.
  std::uint32_t destination_plus_1 = 0;
  // The hashes were taken when nothing but the operation could have changed the
  // memory: the sender's was the same before and after, and all ranks waited at
  // once.
  bool is_sure = false;
  // What the receivers hold, or the results of a reduction.
  std::vector<Holders> holders;
};

// Memory: about 200 bytes per part of a transfer, and 100 more if it is a sum,
// for at most kMaxParts.
class ExaminedParts {
 public:
  static constexpr std::size_t kMaxParts = std::size_t{1} << 21;

  // Holds a reference to `catalog`.
  explicit ExaminedParts(const GroupCatalog& catalog) : catalog_(catalog) {}

  // Adds the hashes of a stream. Streams must be added in ascending order of
  // rank. Ignores operations that cannot be matched, and parts beyond
  // kMaxParts. Also ignores a group, or a pair of ranks, from its first failed
  // operation on: numbers may no longer match.
  void add(const ExaminedStream& stream);

  // Adds a rank to those with this hash. Returns false if the rank has one
  // already, or if there are too many different ones.
  static bool addHolder(std::uint64_t hash, std::uint32_t rank,
                        absl::InlinedVector<Holders, 1>& holders);

  // Returns the parts whose sides differ, by group and number. Parts of unequal
  // sizes are left out: the calls themselves do not fit.
  std::vector<PartDifference> differences() const;

 private:
  // Identifies what is equal on both sides.
  struct Key {
    std::uint32_t operation = 0;  // number in index_
    std::uint32_t tensor = 0;
    // Group ranks plus 1; 0: the only one of a message, or not distinguished.
    std::uint32_t source_plus_1 = 0;
    std::uint32_t destination_plus_1 = 0;

    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Key& key) {
      return H::combine(std::move(hash), key.operation, key.tensor,
                        key.source_plus_1, key.destination_plus_1);
    }
  };
  struct Part {
    std::uint64_t bytes = 0;
    std::uint64_t sent_hash = 0;
    std::uint32_t sender = 0;
    bool is_sent = false;
    bool changed = false;
    // The sender's memory was the same after the end.
    bool unchanged = false;
    // Some rank did not wait at once.
    bool is_async = false;
    // Not comparable: sizes differ, or a rank has several hashes.
    bool is_unclear = false;
    absl::InlinedVector<Holders, 1> holders;
  };
  // The inputs of a sum, and its results.
  struct Addition {
    ReductionSum inputs;
    // The sum of each different result.
    absl::InlinedVector<PartSum, 1> results;
  };
  struct NumberedOperation {
    OperationKey key;
    std::uint64_t seq = 0;
    Operation op{};
  };
  struct Call;

  void addRow(const HashRow& row, const Call& call, std::uint64_t seq);
  void addReductionRow(const Key& key, const HashRow& row, const Call& call,
                       Part& part);
  // Returns nullptr if there are too many parts.
  Part* partOf(const Key& key, const HashRow& row);
  std::uint32_t numberOf(const Call& call, std::uint64_t seq);
  // Returns whether the inputs add up to a result, by its place among holders.
  // Absent if that is not known.
  std::optional<bool> addsUp(const Key& key, const Part& part,
                             std::size_t result) const;
  PartDifference differenceOf(const Key& key, const Part& part) const;

  const GroupCatalog& catalog_;
  OperationIndex index_;
  std::vector<NumberedOperation> operations_;
  absl::flat_hash_map<Key, Part> parts_;
  absl::flat_hash_map<Key, Addition> additions_;
  // Which ranks changed their input of a reduction.
  absl::flat_hash_map<Key, std::vector<std::uint32_t>> changed_inputs_;
  // Hashes of what the rank of the latest stream put in.
  absl::flat_hash_map<Key, std::uint64_t> own_inputs_;
};

}  // namespace traced
