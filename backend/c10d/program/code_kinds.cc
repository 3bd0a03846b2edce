#include "c10d/program/code_kinds.h"

#include <algorithm>
#include <bit>

#include "c10d/program/python_code.h"

namespace traced {
namespace {

// Objects lie at multiples of 8, at least.
constexpr std::uint64_t kKindBits = 7;

std::uint64_t addressOf(const void* code) {
  return reinterpret_cast<std::uintptr_t>(code);
}

}  // namespace

std::atomic<std::uint64_t>& CodeKinds::placeOf(const void* code) noexcept {
  // The golden ratio spreads neighbours; its product's high bits are the best.
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  constexpr int kShift = 64 - std::countr_zero(kRemembered);
  return remembered_[(addressOf(code) * kGolden) >> kShift];
}

CodeKind CodeKinds::of(const PyCodeObject& code) noexcept {
  std::atomic<std::uint64_t>& place = placeOf(&code);
  const std::uint64_t known = place.load(std::memory_order_relaxed);
  if ((known & ~kKindBits) == addressOf(&code)) {
    return static_cast<CodeKind>(known & kKindBits);
  }
  const CodeKind kind = lookUp(code);
  place.store(addressOf(&code) | static_cast<std::uint64_t>(kind),
              std::memory_order_relaxed);
  return kind;
}

void CodeKinds::forget(const void* code) noexcept {
  std::atomic<std::uint64_t>& place = placeOf(code);
  std::uint64_t known = place.load(std::memory_order_relaxed);
  if ((known & ~kKindBits) != addressOf(code)) return;
  // Another thread may have put other code there meanwhile.
  place.compare_exchange_strong(known, 0, std::memory_order_relaxed);
}

CodeKind CodeKinds::lookUp(const PyCodeObject& code) const noexcept {
  const auto folder = std::find_if(
      folders_.begin(), folders_.end(),
      [&code](const CodeFolder& one) { return isInFile(code, one.beginning); });
  return folder == folders_.end() ? CodeKind::kProgram : folder->kind;
}

}  // namespace traced
