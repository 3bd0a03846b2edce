#include "values/block_hash.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/test_seed.h"
#include "xxhash.h"

namespace traced {
namespace {

std::uint64_t hashOf(std::string_view bytes) {
  BlockHash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.value();
}

std::string randomBytes(std::size_t bytes, std::mt19937_64& random) {
  std::string text(bytes, '\0');
  for (char& each : text) each = static_cast<char>(random());
  return text;
}

constexpr std::size_t kBlock = BlockHash::kBlockBytes;

TEST(BlockHash, OfOneBlockIsItsXxh3) {
  std::mt19937_64 random(testing::testSeed());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kBlock}) {
    const std::string text = randomBytes(bytes, random);
    EXPECT_EQ(hashOf(text), XXH3_64bits(text.data(), text.size())) << bytes;
  }
}

TEST(BlockHash, OfSeveralBlocksIsTheHashOfTheirHashes) {
  std::mt19937_64 random(testing::testSeed());
  for (const std::size_t bytes : {kBlock + 1, 2 * kBlock, 3 * kBlock - 5}) {
    const std::string text = randomBytes(bytes, random);
    std::vector<std::uint64_t> hashes;
    for (std::size_t at = 0; at < bytes; at += kBlock) {
      const std::string block = text.substr(at, kBlock);
      hashes.push_back(XXH3_64bits(block.data(), block.size()));
    }
    EXPECT_EQ(hashOf(text), XXH3_64bits(hashes.data(), 8 * hashes.size()))
        << bytes;
  }
}

TEST(BlockHash, DoesNotDependOnThePieces) {
  std::mt19937_64 random(testing::testSeed());
  for (int trial = 0; trial < 50; ++trial) {
    const std::string text = randomBytes(random() % (4 * kBlock), random);
    BlockHash hash;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t some =
          std::min<std::size_t>(1 + random() % (2 * kBlock), text.size() - at);
      hash.add(text.data() + at, some);
      at += some;
    }
    EXPECT_EQ(hash.value(), hashOf(text)) << text.size();
  }
}

}  // namespace
}  // namespace traced
