#include "c10d/program/code_kinds.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <utility>

#include "c10d/program/python_code.h"
#include "ring_io/ring/definition_cache.h"

namespace traced {
namespace {

// Objects are aligned to at least 8 bytes.
constexpr std::uint64_t kKindBits = 7;

std::uint64_t addressOf(const void* code) {
  return reinterpret_cast<std::uintptr_t>(code);
}

}  // namespace

std::atomic<std::uint64_t>& CodeKinds::placeOf(const void* code) noexcept {
  // The golden ratio spreads neighbouring addresses. The high bits of the
  // product are the most uniform.
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
  const CodeKind kind = find(code);
  place.store(addressOf(&code) | static_cast<std::uint64_t>(kind),
              std::memory_order_relaxed);
  return kind;
}

void CodeKinds::forget(const void* code) noexcept {
  std::atomic<std::uint64_t>& place = placeOf(code);
  std::uint64_t known = place.load(std::memory_order_relaxed);
  if ((known & ~kKindBits) != addressOf(code)) return;
  // Another thread may have stored a different code object meanwhile.
  place.compare_exchange_strong(known, 0, std::memory_order_relaxed);
}

CodeKind CodeKinds::find(const PyCodeObject& code) const noexcept {
  const auto folder = std::find_if(
      folders_.begin(), folders_.end(),
      [&code](const CodeFolder& one) { return isInFile(code, one.beginning); });
  return folder == folders_.end() ? CodeKind::kProgram : folder->kind;
}

namespace {

// A Bloom filter with one bit per address: mayHold() may be wrong only by
// returning true.
class ReportedCode {
 public:
  void add(const void* code) noexcept {
    const auto [word, bit] = placeOf(code);
    words_[word].fetch_or(bit, std::memory_order_relaxed);
  }
  bool mayHold(const void* code) const noexcept {
    const auto [word, bit] = placeOf(code);
    return words_[word].load(std::memory_order_relaxed) & bit;
  }

 private:
  static constexpr std::size_t kWords = 1024;
  static std::pair<std::size_t, std::uint64_t> placeOf(const void* code) {
    const std::uint64_t hash = DefinitionCache::hashOf(&code, sizeof code);
    return {hash / 64 % kWords, std::uint64_t{1} << hash % 64};
  }

  std::array<std::atomic<std::uint64_t>, kWords> words_{};
};

ReportedCode reported_code;
// Number of frees that may have hit a reported code object.
std::atomic<std::uint64_t> freed_codes{0};
// Never freed, because threads may always be inside it.
CodeKinds* code_kinds = nullptr;
destructor free_code = nullptr;

// Runs with the GIL, as does any frame whose code reuses the address.
void freeCode(PyObject* code) {
  code_kinds->forget(code);
  if (reported_code.mayHold(code)) {
    freed_codes.fetch_add(1, std::memory_order_relaxed);
  }
  free_code(code);
}

}  // namespace

void watchCode(const std::vector<CodeFolder>& folders) {
  if (code_kinds) return;
  code_kinds = new CodeKinds(folders);
  free_code = std::exchange(PyCode_Type.tp_dealloc, &freeCode);
}

CodeKind kindOf(const PyCodeObject& code) noexcept {
  return code_kinds->of(code);
}

void noteReported(const PyCodeObject& code) noexcept {
  reported_code.add(&code);
}

std::uint64_t freedCodes() noexcept {
  return freed_codes.load(std::memory_order_relaxed);
}

}  // namespace traced
