// Measures the hash, the signed sum and the statistics of memory against
// memcpy, in blocks that alternate.
//
//   build/release/bench/values_bench [MiB] [ROUNDS]
//
// Prints, for each type, how many times as fast as memcpy it is: the median of
// all rounds and the quartiles. memcpy counts the bytes that it copies.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "values/block_hash.h"
#include "values/signed_sum.h"
#include "values/statistics.h"

namespace traced::bench {
namespace {

struct Kind {
  const char* name;
  std::function<void()> run;
  std::vector<double> ratios;
};

double secondsOf(const std::function<void()>& run) {
  const auto before = std::chrono::steady_clock::now();
  run();
  const auto after = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(after - before).count();
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      part * static_cast<double>(values.size() - 1))];
}

// Keeps the compiler from leaving out work.
volatile double sink = 0;

// Finite numbers of common sizes. Types without their own read the bytes of
// the floats.
template <typename Element, typename Make>
std::vector<char> filled(std::size_t bytes, Make make) {
  std::mt19937 random(1);
  std::vector<char> memory(bytes);
  for (std::size_t i = 0; i + sizeof(Element) <= bytes; i += sizeof(Element)) {
    const Element element = make(random);
    std::memcpy(memory.data() + i, &element, sizeof element);
  }
  return memory;
}

std::vector<char> randomFloats(std::size_t bytes) {
  std::normal_distribution<float> normal;
  return filled<float>(bytes, [&](auto& random) { return normal(random); });
}

std::vector<char> randomDoubles(std::size_t bytes) {
  std::normal_distribution<double> normal;
  return filled<double>(bytes, [&](auto& random) { return normal(random); });
}

std::vector<char> randomBrainFloats(std::size_t bytes) {
  std::normal_distribution<float> normal;
  return filled<std::uint16_t>(bytes, [&](auto& random) {
    return std::bit_cast<std::uint32_t>(normal(random)) >> 16;
  });
}

// From 2^-8 to 2.
std::vector<char> randomHalves(std::size_t bytes) {
  return filled<std::uint16_t>(bytes, [](auto& random) {
    return (random() & 0x83FF) | (7 + random() % 9) << 10;
  });
}

std::vector<char> randomSmallFloats(std::size_t bytes) {
  return filled<std::uint8_t>(bytes,
                              [](auto& random) { return random() & 0xBF; });
}

int run(std::size_t mib, int rounds) {
  const std::size_t bytes = mib << 20;
  const std::vector<char> floats = randomFloats(bytes);
  const std::vector<char> doubles = randomDoubles(bytes);
  const std::vector<char> brain_floats = randomBrainFloats(bytes);
  const std::vector<char> halves = randomHalves(bytes);
  const std::vector<char> small_floats = randomSmallFloats(bytes);
  std::vector<char> copy(bytes);
  const void* const memory = floats.data();
  const auto statistics = [&](DType dtype, std::size_t element_bytes,
                              const std::vector<char>& of) {
    return [=, elements = of.data()] {
      sink = statisticsOf(dtype, elements, bytes / element_bytes).sum;
    };
  };
  const auto sum = [&](DType dtype, std::size_t element_bytes) {
    return [=] { sink = signedSum(dtype, memory, bytes / element_bytes).norm; };
  };
  std::vector<Kind> kinds = {
      {"hash",
       [&] {
         BlockHash hash;
         hash.add(memory, bytes);
         sink = static_cast<double>(hash.value());
       },
       {}},
      {"sum float32", sum(DType::kFloat32, 4), {}},
      {"sum float64", sum(DType::kFloat64, 8), {}},
      {"sum int32", sum(DType::kInt32, 4), {}},
      {"sum uint8", sum(DType::kUint8, 1), {}},
      {"stats float32", statistics(DType::kFloat32, 4, floats), {}},
      {"stats float64", statistics(DType::kFloat64, 8, doubles), {}},
      {"stats bfloat16", statistics(DType::kBFloat16, 2, brain_floats), {}},
      {"stats float16", statistics(DType::kFloat16, 2, halves), {}},
      {"stats float8_e4m3fn",
       statistics(DType::kFloat8E4M3FN, 1, small_floats),
       {}},
      {"stats int64", statistics(DType::kInt64, 8, floats), {}},
      {"stats uint8", statistics(DType::kUint8, 1, floats), {}},
  };
  std::vector<double> copied;
  for (int round = 0; round < rounds; ++round) {
    for (Kind& kind : kinds) {
      const double memcpy_s =
          secondsOf([&] { std::memcpy(copy.data(), floats.data(), bytes); });
      sink = copy[static_cast<std::size_t>(round)];
      copied.push_back(static_cast<double>(bytes) / memcpy_s / 1e9);
      kind.ratios.push_back(memcpy_s / secondsOf(kind.run));
    }
  }
  std::printf("memcpy: %.1f GB/s, blocks of %zu MiB, %d rounds\n",
              quantile(copied, 0.5), mib, rounds);
  for (const Kind& kind : kinds) {
    std::printf("%-20s %.2f times as fast (%.2f to %.2f)\n", kind.name,
                quantile(kind.ratios, 0.5), quantile(kind.ratios, 0.25),
                quantile(kind.ratios, 0.75));
  }
  return 0;
}

}  // namespace
}  // namespace traced::bench

int main(int argc, char** argv) {
  const long mib = argc > 1 ? std::atol(argv[1]) : 64;
  const long rounds = argc > 2 ? std::atol(argv[2]) : 15;
  if (mib < 1 || mib > 4096 || rounds < 1) {
    std::fprintf(stderr, "usage: values_bench [MiB] [ROUNDS]\n");
    return 2;
  }
  return traced::bench::run(static_cast<std::size_t>(mib),
                            static_cast<int>(rounds));
}
