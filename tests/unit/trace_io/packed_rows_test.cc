#include "trace_io/packed_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace traced {
namespace {

using Numbers = std::vector<std::uint64_t>;

// Returns all numbers of a row, after the index of its table.
template <typename Row>
Numbers numbersOf(const Row& row) {
  Numbers numbers;
  std::uint64_t place = 0;
  forEachType(AllRows(), [&]<typename Other>() {
    if (std::is_same_v<Row, Other>) numbers.push_back(place);
    ++place;
  });
  forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
    numbers.push_back(static_cast<std::uint64_t>(Which::of(row)));
  });
  return numbers;
}

class RandomPayload {
 public:
  explicit RandomPayload(unsigned seed) : random_(seed) {}

  bool chance(unsigned one_in) { return random_() % one_in == 0; }
  std::size_t below(std::size_t end) { return random_() % end; }

  v1::Payload make() {
    v1::Payload payload;
    ascending_ = chance(2);
    in_step_.resize(ascending_ && chance(2) ? 1 + below(300) : 0);
    for (std::int64_t& delta : in_step_) delta = operationDelta();
    payload.mutable_anchor()->set_monotonic_ns(number<std::int64_t>());
    if (chance(2)) payload.mutable_header()->set_host("node-7");
    if (chance(2)) payload.add_text()->set_text(std::string(below(300), 'x'));
    forEachType(AllRows(), [&]<typename Row>() { fill<Row>(payload); });
    return payload;
  }

 private:
  // Mostly small, sometimes of any size.
  template <typename T>
  T number() {
    const std::uint64_t any = random_() << 32 | (random_() & 0xFFFFFFFF);
    return static_cast<T>(any >> (chance(4) ? below(64) : 54 + below(10)));
  }

  template <typename Row>
  void fill(v1::Payload& payload) {
    std::size_t rows = chance(4) ? 0 : below(ascending_ ? 300 : 40);
    if (!in_step_.empty() && rows > 0) rows = in_step_.size();
    auto& table = RowTable<Row>::of(payload);
    forEachType(ColumnsOf<Row>(), [&]<typename Which>() {
      constexpr bool kNamesOperations = std::is_same_v<Which, FirstColumn<Row>>;
      const bool whole = kNamesOperations || !chance(3);
      std::size_t entries = whole ? rows : 0;
      if (chance(200)) ++entries;
      for (std::size_t i = 0; i < entries; ++i) {
        using T = typename Which::Value;
        Which::of(table).Add(!kNamesOperations     ? number<T>()
                             : i < in_step_.size() ? static_cast<T>(in_step_[i])
                             : ascending_ ? static_cast<T>(operationDelta())
                                          : number<T>());
      }
    });
  }

  std::int64_t operationDelta() {
    return static_cast<std::int64_t>(1 + below(chance(50) ? 999 : 3));
  }

  std::mt19937_64 random_;
  // The tables name operations in ascending order, most of them the same.
  bool ascending_ = false;
  // The operations that all tables with rows name; empty if the tables differ.
  std::vector<std::int64_t> in_step_;
};

v1::Payload withoutRows(v1::Payload payload) {
  forEachType(AllRows(),
              [&]<typename Row>() { RowTable<Row>::clear(payload); });
  return payload;
}

// Returns the rows of each table, or of each operation, in their order.
std::vector<Numbers> sortedBy(std::size_t number, std::vector<Numbers> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [number](const Numbers& a, const Numbers& b) {
                     return a[number] < b[number];
                   });
  return rows;
}

// Returns whether the bytes could be split. If so, expects the same content as
// protobuf.
bool splitsLikeProtobuf(const std::string& bytes) {
  static PackedRows packed;
  std::string rest;
  if (!packed.split(bytes, rest)) return false;
  v1::Payload expected, others;
  const bool parsed = expected.ParseFromString(bytes);
  const bool others_parsed = others.ParseFromString(rest);
  if (!parsed)
    return true;  // only the header, which is skipped, may be invalid
  EXPECT_TRUE(others_parsed);
  expected.clear_header();
  EXPECT_EQ(others.SerializeAsString(),
            withoutRows(expected).SerializeAsString());
  EXPECT_EQ(packed.columnsAgree(), columnsAgree(expected));
  EXPECT_EQ(packed.rowCount(), rowCount(expected));
  if (!columnsAgree(expected)) return true;
  std::vector<Numbers> from_protobuf, from_bytes;
  forEachRow(expected,
             [&](const auto& row) { from_protobuf.push_back(numbersOf(row)); });
  packed.forEachRow(others.anchor().monotonic_ns(), [&](const auto& row) {
    from_bytes.push_back(numbersOf(row));
  });
  constexpr std::size_t kKind = 0, kOperation = 1;
  EXPECT_EQ(sortedBy(kKind, from_bytes), from_protobuf);
  EXPECT_EQ(sortedBy(kOperation, from_bytes),
            sortedBy(kOperation, from_protobuf));
  EXPECT_EQ(packed.rowCount(), from_bytes.size());
  return true;
}

TEST(PackedRowsTest, AreThoseThatProtobufReads) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  RandomPayload random(seed);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    EXPECT_TRUE(splitsLikeProtobuf(random.make().SerializeAsString()));
  }
}

TEST(PackedRowsTest, AscendingOperationsAreReadInStretches) {
  v1::Payload payload;
  for (int i = 0; i < 1000; ++i) {
    payload.mutable_issued()->add_op_delta(5);
    payload.mutable_returned()->add_op_delta(5);
  }
  const auto switchesOf = [&] {
    const std::string bytes = payload.SerializeAsString();
    PackedRows packed;
    std::string rest;
    EXPECT_TRUE(packed.split(bytes, rest));
    std::vector<std::uint64_t> kinds;
    packed.forEachRow(0, [&](const auto& row) {
      const std::uint64_t kind = numbersOf(row)[0];
      if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
    });
    return kinds.size();
  };
  EXPECT_GT(switchesOf(), 10U);
  // An operation that is named a second time, table by table.
  payload.mutable_returned()->set_op_delta(500, 0);
  EXPECT_EQ(switchesOf(), 2U);
  payload.mutable_returned()->set_op_delta(500, -5);
  EXPECT_EQ(switchesOf(), 2U);
  payload.mutable_returned()->set_op_delta(500, std::int64_t{1} << 62);
  EXPECT_EQ(switchesOf(), 2U);
}

TEST(PackedRowsTest, DamagedBytesGiveTheRowsThatProtobufReads) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  RandomPayload random(seed);
  int split = 0;
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    std::string bytes = random.make().SerializeAsString();
    for (std::size_t flips = random.below(4); flips > 0; --flips) {
      bytes[random.below(bytes.size())] ^=
          static_cast<char>(1 << random.below(8));
    }
    if (random.chance(4)) bytes.resize(random.below(bytes.size()));
    split += splitsLikeProtobuf(bytes);
  }
  EXPECT_GT(split, 0);
}

TEST(PackedRowsTest, LeavesUnusualEncodingsToProtobuf) {
  v1::Payload payload;
  payload.mutable_released()->add_op_delta(1);
  const std::string once = payload.SerializeAsString();
  PackedRows packed;
  std::string rest;
  EXPECT_TRUE(packed.split(once, rest));
  EXPECT_FALSE(packed.split(once + once, rest)) << "protobuf joins the two";
  // Field 13, of two bytes: field 1 as a number, and not as a column.
  EXPECT_FALSE(packed.split("\x6A\x02\x08\x02", rest));
  // A column that ends within an entry, and one with an entry of 11 bytes.
  EXPECT_FALSE(packed.split("\x6A\x03\x0A\x01\x82", rest));
  EXPECT_FALSE(packed.split(
      "\x6A\x0D\x0A\x0B\x81\x81\x81\x81\x81\x81\x81\x81\x81\x81\x01", rest));
}

}  // namespace
}  // namespace traced
