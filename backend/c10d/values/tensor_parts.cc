#include "c10d/values/tensor_parts.h"

namespace traced {
namespace {

// How the tensors of one side of a call belong to ranks.
enum class Layout : std::uint8_t {
  kWhole,         // each tensor to all ranks, or to the only other one
  kRanksInList,   // the tensors of a list, one per rank
  kListsOfRanks,  // the lists, one per rank
  kEvenSlices,    // each tensor, in equal slices
  kSplits,        // each tensor, by the split sizes of the call
};

Layout sentLayout(Operation op) {
  switch (op) {
    case Operation::kScatter:
    case Operation::kAllToAll:
    case Operation::kReduceScatter:
      return Layout::kRanksInList;
    case Operation::kReduceScatterTensor:
    case Operation::kReduceScatterTensorCoalesced:
      return Layout::kEvenSlices;
    case Operation::kAllToAllSingle:
      return Layout::kSplits;
    default:
      return Layout::kWhole;
  }
}

Layout receivedLayout(Operation op) {
  switch (op) {
    case Operation::kAllGather:
    case Operation::kGather:
    case Operation::kAllToAll:
      return Layout::kRanksInList;
    case Operation::kAllGatherCoalesced:
      return Layout::kListsOfRanks;
    case Operation::kAllGatherIntoTensor:
    case Operation::kAllGatherIntoTensorCoalesced:
    case Operation::kGatherIntoTensor:
      return Layout::kEvenSlices;
    case Operation::kAllToAllSingle:
      return Layout::kSplits;
    default:
      return Layout::kWhole;
  }
}

// Collects the parts of one side.
class Parts {
 public:
  void addLists(const CallTensors::TensorLists& lists, Layout layout,
                const std::vector<std::int64_t>& splits, std::int64_t ranks) {
    std::uint32_t list = 0;
    for (const auto& tensors : lists) {
      std::uint32_t place = 0;
      for (const at::Tensor& tensor : tensors) {
        if (tensor.defined()) {
          addTensor(tensor, list, place, layout, splits, ranks);
        }
        ++place;
      }
      ++list;
    }
  }
  PartList take() && { return std::move(list_); }

 private:
  void addTensor(const at::Tensor& tensor, std::uint32_t list,
                 std::uint32_t place, Layout layout,
                 const std::vector<std::int64_t>& splits, std::int64_t ranks) {
    const std::int64_t all = tensor.numel();
    switch (layout) {
      case Layout::kWhole:
        return add({tensor, place, 0, 0, all});
      case Layout::kRanksInList:
        return add({tensor, list, place + 1, 0, all});
      case Layout::kListsOfRanks:
        return add({tensor, place, list + 1, 0, all});
      case Layout::kEvenSlices:
        return addSlices(tensor, place, ranks);
      case Layout::kSplits:
        if (splits.empty()) return addSlices(tensor, place, ranks);
        return addSplits(tensor, place, splits);
    }
  }
  void addSlices(const at::Tensor& tensor, std::uint32_t index,
                 std::int64_t ranks) {
    if (ranks < 1) return;
    const std::int64_t each = tensor.numel() / ranks;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      add({tensor, index, static_cast<std::uint32_t>(rank + 1), rank * each,
           (rank + 1) * each});
    }
  }
  void addSplits(const at::Tensor& tensor, std::uint32_t index,
                 const std::vector<std::int64_t>& splits) {
    const std::int64_t rows = tensor.dim() > 0 ? tensor.size(0) : 1;
    const std::int64_t row = rows > 0 ? tensor.numel() / rows : 0;
    std::int64_t begin = 0;
    std::uint32_t rank = 0;
    for (const std::int64_t split : splits) {
      const std::int64_t end = begin + split * row;
      if (split < 0 || end > tensor.numel()) return;  // c10d refuses it
      add({tensor, index, ++rank, begin, end});
      begin = end;
    }
  }
  void add(TensorPart part) {
    list_.cut |= list_.parts.size() == PartList::kMax;
    if (!list_.cut) list_.parts.push_back(std::move(part));
  }

  PartList list_;
};

bool isRoot(const CallTensors& call, const GroupPlace& place) {
  return !call.root() || *call.root() == place.rank;
}

// Returns whether the operation uses the inputs on this rank.
bool readsInputs(Operation op, const CallTensors& call,
                 const GroupPlace& place) {
  return !readsAtRootOnly(op) || isRoot(call, place);
}

// Returns whether the operation defines the outputs on this rank.
bool fillsOutputs(Operation op, const CallTensors& call,
                  const GroupPlace& place) {
  return !fillsAtRootOnly(op) || isRoot(call, place);
}

}  // namespace

PartList sentParts(Operation op, const CallTensors& call,
                   const GroupPlace& place) {
  Parts parts;
  if (transferKind(op) != TransferKind::kNone && readsInputs(op, call, place)) {
    parts.addLists(call.inputLists(), sentLayout(op), call.splitIn(),
                   place.size);
  }
  return std::move(parts).take();
}

PartList receivedParts(Operation op, const CallTensors& call,
                       const GroupPlace& place) {
  Parts parts;
  if (transferKind(op) != TransferKind::kNone &&
      fillsOutputs(op, call, place)) {
    parts.addLists(call.outputLists(), receivedLayout(op), call.splitOut(),
                   place.size);
  }
  return std::move(parts).take();
}

PartList readTensors(Operation op, const CallTensors& call,
                     const GroupPlace& place) {
  Parts parts;
  if (readsInputs(op, call, place)) {
    parts.addLists(call.inputLists(), Layout::kWhole, {}, place.size);
  }
  return std::move(parts).take();
}

PartList filledTensors(Operation op, const CallTensors& call,
                       const GroupPlace& place) {
  Parts parts;
  if (fillsOutputs(op, call, place)) {
    parts.addLists(call.outputLists(), Layout::kWhole, {}, place.size);
  }
  return std::move(parts).take();
}

}  // namespace traced
