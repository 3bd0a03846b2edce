#include "analysis/diagnosis/job_state/split_matrix.h"

namespace traced {
namespace {

// Returns an odd number that is a hash of both.
std::uint64_t weightOf(std::uint64_t from, std::uint64_t to) {
  std::uint64_t x = (from << 32 | to) + 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return (x ^ (x >> 31)) | 1;
}

// Returns the share of an all-to-all of lists, whose splits are the sizes of
// its tensors.
std::uint64_t shareOfList(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors,
    std::uint32_t self, bool sends) {
  std::uint64_t share = 0;
  std::uint64_t other = 0;
  for (const v1::TensorRun& run : tensors) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : run.shape()) {
      elements *= static_cast<std::uint64_t>(size);
    }
    const std::uint32_t count = run.count() > 0 ? run.count() : 1;
    // A list has one tensor per member. Larger lists are cut, to bound the work
    // on hostile input.
    constexpr std::uint64_t kMaxMembers = 1 << 20;
    for (std::uint32_t i = 0; i < count && other < kMaxMembers; ++i, ++other) {
      share +=
          elements * (sends ? weightOf(self, other) : weightOf(other, self));
    }
  }
  return share;
}

}  // namespace

bool givesSplits(const v1::Call& call) {
  if (call.op() == v1::OPERATION_ALL_TO_ALL) return call.tensors_cut() == 0;
  return call.op() == v1::OPERATION_ALL_TO_ALL_SINGLE &&
         call.splits_cut() == 0 && !call.split_in().empty() &&
         !call.split_out().empty();
}

std::uint64_t splitShare(const v1::Call& call, std::uint32_t group_rank) {
  if (call.op() == v1::OPERATION_ALL_TO_ALL) {
    return shareOfList(call.input(), group_rank, true) -
           shareOfList(call.output(), group_rank, false);
  }
  std::uint64_t share = 0;
  for (int i = 0; i < call.split_in_size(); ++i) {
    share += static_cast<std::uint64_t>(call.split_in(i)) *
             weightOf(group_rank, static_cast<std::uint64_t>(i));
  }
  for (int i = 0; i < call.split_out_size(); ++i) {
    share -= static_cast<std::uint64_t>(call.split_out(i)) *
             weightOf(static_cast<std::uint64_t>(i), group_rank);
  }
  return share;
}

}  // namespace traced
