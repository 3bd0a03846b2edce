#include "analysis/diagnosis/mismatch/call_difference.h"

#include <cstddef>

#include "analysis/diagnosis/job_state/collective_table.h"

namespace traced {

std::optional<VerdictKind> differenceOf(const Signature& a,
                                        const Signature& b) {
  if (a.op != b.op) return VerdictKind::kOpMismatch;
  // An all-to-all with splits may match one without. The split rule compares
  // these.
  const bool splits_matter = a.op == v1::OPERATION_ALL_TO_ALL_SINGLE &&
                             (a.bytes_in == 0 || b.bytes_in == 0);
  if (a.dtype != b.dtype && a.dtype != 0 && b.dtype != 0) {
    return VerdictKind::kDtypeMismatch;
  }
  if (a.root_plus_1 != b.root_plus_1) return VerdictKind::kRootMismatch;
  if (a.reduce_op != b.reduce_op) return VerdictKind::kReduceOpMismatch;
  const bool same_size = a.bytes_in == b.bytes_in && a.bytes_out == b.bytes_out;
  if (same_size || splits_matter) return std::nullopt;
  return VerdictKind::kSizeMismatch;
}

namespace {

using Calls = std::vector<std::uint32_t>;

constexpr std::uint32_t kNotKnown = CollectiveTable::kNoSignature;

// Returns whether the calls agree from `i` and `j` on, up to an unknown call.
// At least one pair must be known.
bool equalFrom(const Calls& a, std::size_t i, const Calls& b, std::size_t j) {
  std::size_t equal = 0;
  for (; i < a.size() && j < b.size(); ++i, ++j) {
    if (a[i] == kNotKnown || b[j] == kNotKnown) break;
    if (a[i] != b[j]) return false;
    ++equal;
  }
  return equal > 0;
}

// Returns whether calls 0 and `k` are swapped and the calls between agree.
bool isSwap(const Calls& usual, const Calls& odd, std::size_t k) {
  if (odd[0] != usual[k] || odd[k] != usual[0]) return false;
  for (std::size_t i = 1; i < k; ++i) {
    if (odd[i] != usual[i]) return false;
  }
  return odd[0] != kNotKnown && usual[0] != kNotKnown;
}

enum class Swap { kNo, kMaybe, kYes };

// Returns kYes if the calls after the swap agree, kMaybe if these are unknown.
Swap swapIn(const Calls& usual, const Calls& odd) {
  for (std::size_t k = 1; k < odd.size() && k < usual.size(); ++k) {
    if (!isSwap(usual, odd, k)) continue;
    if (equalFrom(odd, k + 1, usual, k + 1)) return Swap::kYes;
    const bool known = k + 1 < odd.size() && k + 1 < usual.size() &&
                       odd[k + 1] != kNotKnown && usual[k + 1] != kNotKnown;
    return known ? Swap::kNo : Swap::kMaybe;
  }
  return Swap::kNo;
}

}  // namespace

CallShift shiftOf(const CallSequences& sequences) {
  const Calls& usual = sequences.usual;
  const Calls& odd = sequences.odd;
  if (equalFrom(odd, 1, usual, 1)) return CallShift::kNone;
  const Swap swap = swapIn(usual, odd);
  const bool extra = equalFrom(odd, 1, usual, 0);
  const bool left_out = equalFrom(odd, 0, usual, 1);
  if (extra && left_out && swap == Swap::kNo) {
    return CallShift::kExtraOrLeftOut;
  }
  const int fits =
      (swap != Swap::kNo ? 1 : 0) + (extra ? 1 : 0) + (left_out ? 1 : 0);
  if (fits > 1) return CallShift::kUnclear;
  if (swap == Swap::kYes) return CallShift::kSwapped;
  if (extra) return CallShift::kExtra;
  return left_out ? CallShift::kLeftOut : CallShift::kNone;
}

}  // namespace traced
