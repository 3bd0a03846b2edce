// Tests that the tables of docs/reference/format.md match the code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "analysis/job/dependency.h"
#include "analysis/stream/names.h"
#include "base/operation.h"
#include "doc_table.h"

namespace traced::testing {
namespace {

constexpr char kFormatPage[] = "reference/format.md";
constexpr std::uint32_t kRanks = 3;
constexpr std::uint32_t kRoot = 1;

bool isAmong(const std::string& words, std::uint32_t rank) {
  if (words == "the root" || words == "the receiver") return rank == kRoot;
  if (words == "any but the root") return rank != kRoot;
  // The sender that the receiver names.
  if (words == "the sender") return rank == 0;
  EXPECT_EQ(words, "any");
  return true;
}

// Returns the root's call. A receive is one from rank 0.
v1::Call receiverCall(v1::Operation op) {
  v1::Call call;
  call.set_op(op);
  call.set_bytes_in(64);
  call.set_bytes_out(64);
  call.set_root_plus_1(kRoot + 1);
  if (op == v1::OPERATION_RECV) call.set_peer_plus_1(1);
  return call;
}

TEST(FormatPageTest, EndsProveTheDocumentedStarts) {
  std::map<std::string, DocRow> rows;
  for (const DocRow& row : tableOf(kFormatPage, "operation | X | Y")) {
    for (const std::string& op : quotedIn(row[0])) rows[op] = row;
  }
  for (int number = 0; number < kOperationCount; ++number) {
    const auto op = static_cast<v1::Operation>(number);
    const v1::Call call = receiverCall(op);
    const auto row = rows.find(nameOf(op));
    for (std::uint32_t x = 0; x < kRanks; ++x) {
      // Each rank makes its own calls; only the receiver made this one.
      if (op == v1::OPERATION_RECV && x != kRoot) continue;
      for (std::uint32_t y = 0; y < kRanks; ++y) {
        const bool documented = x != y && row != rows.end() &&
                                isAmong(row->second[1], x) &&
                                isAmong(row->second[2], y);
        EXPECT_EQ(endProvesStart(call, kRanks, x, y), documented)
            << nameOf(op) << ": " << x << " on " << y;
      }
    }
    if (row != rows.end()) rows.erase(row);
  }
  EXPECT_THAT(rows, ::testing::IsEmpty());
}

TEST(FormatPageTest, EachKindOfMarkIsExplained) {
  const std::string page = textOfPage(kFormatPage);
  for (int number = 1; v1::MarkKind_IsValid(number); ++number) {
    const std::string quoted = absl::StrCat(
        "`", v1::MarkKind_Name(static_cast<v1::MarkKind>(number)), "`");
    EXPECT_NE(page.find(quoted), std::string::npos) << quoted;
  }
  for (const DocRow& row :
       tableOf(kFormatPage, "kind | `mark_ns` | `value` | `text`")) {
    v1::MarkKind kind{};
    EXPECT_TRUE(v1::MarkKind_Parse(quotedIn(row[0])[0], &kind)) << row[0];
  }
}

}  // namespace
}  // namespace traced::testing
