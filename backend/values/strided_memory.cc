#include "values/strided_memory.h"

#include <array>
#include <cstring>
#include <vector>

namespace traced {
namespace {

// Shorter runs are copied into pieces of this size.
constexpr std::size_t kPieceBytes = 4096;

// The innermost dimensions that are consecutive in memory.
struct Run {
  std::size_t bytes = 0;
  // Number of dimensions outside the run.
  std::size_t outer = 0;
};

Run innermostRun(const StridedMemory& memory) {
  Run run{memory.element_bytes, memory.sizes.size()};
  std::int64_t elements = 1;
  while (run.outer > 0) {
    const std::size_t dim = run.outer - 1;
    if (memory.sizes[dim] != 1 && memory.strides[dim] != elements) break;
    elements *= memory.sizes[dim];
    run.outer = dim;
  }
  run.bytes *= static_cast<std::size_t>(elements);
  return run;
}

// Joins short runs to pieces.
class Joiner {
 public:
  explicit Joiner(const std::function<void(const char*, std::size_t)>& visit)
      : visit_(visit) {}

  void add(const char* run, std::size_t bytes) {
    if (used_ + bytes > piece_.size()) flush();
    if (bytes > piece_.size()) return visit_(run, bytes);
    std::memcpy(piece_.data() + used_, run, bytes);
    used_ += bytes;
  }
  void flush() {
    if (used_ > 0) visit_(piece_.data(), used_);
    used_ = 0;
  }

 private:
  const std::function<void(const char*, std::size_t)>& visit_;
  std::array<char, kPieceBytes> piece_;
  std::size_t used_ = 0;
};

}  // namespace

void forEachPiece(const StridedMemory& memory,
                  const std::function<void(const char*, std::size_t)>& visit) {
  for (const std::int64_t size : memory.sizes) {
    if (size == 0) return;
  }
  const Run run = innermostRun(memory);
  if (run.outer == 0) return visit(memory.first, run.bytes);
  Joiner joiner(visit);
  std::vector<std::int64_t> index(run.outer, 0);
  const auto stride = [&](std::size_t dim) {
    return memory.strides[dim] *
           static_cast<std::int64_t>(memory.element_bytes);
  };
  const char* at = memory.first;
  for (std::size_t dim = run.outer; dim > 0;) {
    joiner.add(at, run.bytes);
    // Advances the innermost index that is not at its end.
    for (dim = run.outer; dim > 0; --dim) {
      at += stride(dim - 1);
      if (++index[dim - 1] < memory.sizes[dim - 1]) break;
      at -= stride(dim - 1) * memory.sizes[dim - 1];
      index[dim - 1] = 0;
    }
  }
  joiner.flush();
}

}  // namespace traced
