// Finds which parts of a call's tensors are examined, and which rank is on the
// other side of each. docs/reference/values.md has the same table.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "base/examined.h"
#include "base/operation.h"
#include "base/transfers.h"
#include "c10d/values/call_tensors.h"

namespace traced {

// A tensor of a call, or the elements [begin, end) of it that go to one rank or
// come from one.
struct TensorPart {
  at::Tensor tensor;
  // Number of the tensor among those of one side of the call.
  std::uint32_t index = 0;
  // Group rank on the other side. 0: all ranks, or the root or peer of the
  // call.
  std::uint32_t rank_plus_1 = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  // Why it cannot be read, if that is known already.
  SkipReason skipped = SkipReason::kNone;
};

struct GroupPlace {
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

// At most kMax parts of one side of a call.
struct PartList {
  static constexpr std::size_t kMax = 4096;

  std::vector<TensorPart> parts;
  // Further parts were cut.
  bool cut = false;
};

// Return the parts that this rank sends and receives. Those of a reduction are
// its inputs and results. Empty for operations that transfer nothing.
PartList sentParts(Operation op, const CallTensors& call,
                   const GroupPlace& place);
PartList receivedParts(Operation op, const CallTensors& call,
                       const GroupPlace& place);

// Return the whole tensors that the operation reads on this rank, and those
// that it fills.
PartList readTensors(Operation op, const CallTensors& call,
                     const GroupPlace& place);
PartList filledTensors(Operation op, const CallTensors& call,
                       const GroupPlace& place);

}  // namespace traced
