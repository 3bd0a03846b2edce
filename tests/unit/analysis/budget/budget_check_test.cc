#include "analysis/budget/budget_check.h"

#include <gtest/gtest.h>

#include "analysis/budget/budget_builder.h"
#include "analysis/reading/stream_assembler.h"

namespace traced {
namespace {

// A rank with the given number of all-reduces per step, of 10 bytes each.
RankUsage rankWith(std::uint32_t rank, const std::vector<int>& steps,
                   int before = 0, v1::DType dtype = v1::DTYPE_FLOAT32) {
  v1::Header header;
  header.set_rank(rank);
  StreamAssembler assembler(header);
  v1::Payload payload;
  v1::Group& group = *payload.add_group();
  group.set_id(1);
  group.set_desc("dp");
  group.set_size(1);
  group.add_member()->set_count(1);
  v1::Call& call = *payload.add_call();
  call.set_id(1);
  call.set_op(v1::OPERATION_ALL_REDUCE);
  call.set_group(1);
  call.set_bytes_in(10);
  call.add_input()->set_dtype(dtype);
  std::int64_t moved = 0;  // since the last operation
  const auto issue = [&](int count) {
    for (int i = 0; i < count; ++i) {
      payload.mutable_issued()->add_op_delta(moved + 1);
      payload.mutable_issued()->add_call(1);
      moved = 0;
    }
  };
  issue(before);
  std::int64_t position = before;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    ++moved;
    ++position;
    payload.mutable_marked()->add_position_delta(position - last);
    payload.mutable_marked()->add_kind(v1::MARK_KIND_STEP);
    payload.mutable_marked()->add_value(i);
    last = position;
    issue(steps[i]);
    position += steps[i];
  }
  assembler.add(payload);
  return RankUsage(std::move(assembler).finish());
}

BudgetRow row(std::uint64_t count, StepRange steps = StepRange(0, 2)) {
  BudgetRow row;
  row.steps = steps;
  row.per_step = !steps.all();
  row.group = "dp";
  row.op = "all_reduce";
  row.dtype = "float32";
  row.count = count;
  return row;
}

BudgetResult check(const Budget& budget, const std::vector<RankUsage>& ranks) {
  BudgetCheck check(budget);
  for (const RankUsage& rank : ranks) check.add(rank);
  return std::move(check).finish();
}

Verdict verdictOf(const BudgetRow& row, const std::vector<RankUsage>& ranks) {
  return check({{row}}, ranks).rows[0].verdict();
}

TEST(BudgetCheckTest, EveryStepOfEveryRankMustMeetIt) {
  EXPECT_EQ(verdictOf(row(2), {rankWith(0, {2, 2, 2})}), Verdict::kOk);
  EXPECT_EQ(verdictOf(row(2), {rankWith(0, {2, 3, 2})}), Verdict::kOver);
  EXPECT_EQ(verdictOf(row(2), {rankWith(0, {2, 2, 0})}), Verdict::kUnder);
  EXPECT_EQ(verdictOf(row(2), {rankWith(0, {0, 0, 0}, 6)}), Verdict::kMissing);
  const BudgetResult result =
      check({{row(2)}}, {rankWith(0, {2, 2, 2}), rankWith(1, {2, 2, 3})});
  const FigureResult& count = *result.rows[0].count;
  EXPECT_EQ(count.measured, 6u);
  EXPECT_EQ(count.off, 1u);
  EXPECT_EQ(count.least, 2u);
  EXPECT_EQ(count.most, 3u);
  EXPECT_EQ(count.first_off->rank, 1u);
  EXPECT_EQ(count.first_off->step, 2u);
}

TEST(BudgetCheckTest, AnExcessInOneStepIsNotOffsetByAnother) {
  EXPECT_EQ(verdictOf(row(2), {rankWith(0, {1, 3, 2})}), Verdict::kOver);
  BudgetRow total = row(6);
  total.per_step = false;
  EXPECT_EQ(verdictOf(total, {rankWith(0, {1, 3, 2})}), Verdict::kOk);
}

TEST(BudgetCheckTest, AnAtMostRowIsMetByLessAndByNothing) {
  BudgetRow limit = row(2);
  limit.at_most = true;
  EXPECT_EQ(verdictOf(limit, {rankWith(0, {2, 1, 0})}), Verdict::kOk);
  EXPECT_EQ(verdictOf(limit, {rankWith(0, {0, 0, 0}, 1)}), Verdict::kOk);
  EXPECT_EQ(verdictOf(limit, {rankWith(0, {0, 0, 3})}), Verdict::kOver);
}

TEST(BudgetCheckTest, ToleranceIsInBothDirections) {
  BudgetRow loose = row(10);
  loose.tolerance_percent = 10;
  EXPECT_EQ(verdictOf(loose, {rankWith(0, {9, 10, 11})}), Verdict::kOk);
  EXPECT_EQ(verdictOf(loose, {rankWith(0, {10, 12, 10})}), Verdict::kOver);
  EXPECT_EQ(verdictOf(loose, {rankWith(0, {10, 8, 10})}), Verdict::kUnder);
}

TEST(BudgetCheckTest, ToleranceDoesNotOverflow) {
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  BudgetRow loose = row(0);
  loose.tolerance_percent = 1e300;
  EXPECT_EQ(allowedFor(loose, kMax).high, kMax);
  EXPECT_EQ(allowedFor(loose, kMax).low, 0u);
  loose.tolerance_percent = 50;
  EXPECT_EQ(allowedFor(loose, kMax - 1).high, kMax);
  EXPECT_EQ(allowedFor(loose, 3).low, 2u);
  EXPECT_EQ(allowedFor(loose, 3).high, 4u);
}

TEST(BudgetCheckTest, OperationsWithoutARowAreNew) {
  const std::vector<RankUsage> ranks = {
      rankWith(0, {2, 2, 2}), rankWith(1, {1, 4, 2}, 0, v1::DTYPE_BFLOAT16)};
  BudgetRow only_first = row(2);
  only_first.ranks = absl::flat_hash_set<std::uint32_t>{0};
  const BudgetResult result = check({{only_first}}, ranks);
  EXPECT_EQ(result.rows[0].verdict(), Verdict::kOk);
  ASSERT_EQ(result.fresh.size(), 1u);
  EXPECT_EQ(result.fresh[0].key.dtype, "bfloat16");
  EXPECT_EQ(result.fresh[0].ranks, std::vector<std::uint32_t>{1});
  EXPECT_EQ(result.fresh[0].most, (Usage{4, 40}));
  EXPECT_FALSE(result.met());
}

TEST(BudgetCheckTest, ARowOfOtherRanksDoesNotKnowIt) {
  BudgetRow only_first = row(2);
  only_first.ranks = absl::flat_hash_set<std::uint32_t>{0};
  const BudgetResult result =
      check({{only_first}}, {rankWith(0, {2, 2, 2}), rankWith(1, {2, 2, 2})});
  ASSERT_EQ(result.fresh.size(), 1u);
  EXPECT_EQ(result.fresh[0].ranks, std::vector<std::uint32_t>{1});
}

TEST(BudgetCheckTest, StepsThatNoRowIsAboutAreNotJudged) {
  const BudgetResult result =
      check({{row(2, StepRange(1, 1))}}, {rankWith(0, {5, 2, 7}, 3)});
  EXPECT_TRUE(result.met());
  EXPECT_EQ(result.judged, 2u);
  EXPECT_EQ(result.outside, 15u);
}

TEST(BudgetCheckTest, OperationsBeforeTheFirstStepCountForAllSteps) {
  EXPECT_EQ(verdictOf(row(9, StepRange()), {rankWith(0, {5, 2}, 2)}),
            Verdict::kOk);
}

TEST(BudgetCheckTest, ARowWithoutADtypeAddsUpAll) {
  BudgetRow any = row(2);
  any.dtype.reset();
  any.group.reset();
  any.op.reset();
  EXPECT_EQ(verdictOf(any, {rankWith(0, {2, 2, 2}, 0, v1::DTYPE_INT8)}),
            Verdict::kOk);
}

TEST(BudgetCheckTest, ACountOfNothingForbids) {
  EXPECT_EQ(verdictOf(row(0), {rankWith(0, {0, 0, 0}, 1)}), Verdict::kOk);
  EXPECT_EQ(verdictOf(row(0), {rankWith(0, {0, 1, 0})}), Verdict::kOver);
}

Budget built(const StepRange& steps, const std::vector<RankUsage>& ranks) {
  BudgetBuilder builder(steps);
  for (const RankUsage& rank : ranks) builder.add(rank);
  return builder.finish();
}

TEST(BudgetBuilderTest, RanksThatDoTheSameShareARow) {
  const Budget budget =
      built(StepRange(0, 2), {rankWith(0, {2, 2, 2}), rankWith(1, {2, 2, 2})});
  ASSERT_EQ(budget.rows.size(), 1u);
  EXPECT_FALSE(budget.rows[0].ranks);
  EXPECT_TRUE(budget.rows[0].per_step);
  EXPECT_EQ(budget.rows[0].count, 2u);
  EXPECT_EQ(budget.rows[0].bytes, 20u);
}

TEST(BudgetBuilderTest, RanksThatDifferHaveRowsOfTheirOwn) {
  const Budget budget =
      built(StepRange(0, 1), {rankWith(0, {2, 2}), rankWith(1, {1, 1}),
                              rankWith(2, {2, 2}), rankWith(3, {0, 0})});
  ASSERT_EQ(budget.rows.size(), 2u);
  EXPECT_EQ(budget.rows[0].ranks_text, "0,2");
  EXPECT_EQ(budget.rows[1].ranks_text, "1");
}

TEST(BudgetBuilderTest, StepsThatDifferAreAddedUp) {
  const Budget budget = built(StepRange(0, 2), {rankWith(0, {2, 0, 3})});
  ASSERT_EQ(budget.rows.size(), 1u);
  EXPECT_FALSE(budget.rows[0].per_step);
  EXPECT_EQ(budget.rows[0].count, 5u);
}

TEST(BudgetBuilderTest, TheRunMeetsWhatWasBuiltFromIt) {
  const std::vector<RankUsage> ranks = {
      rankWith(0, {2, 0, 3}, 4), rankWith(1, {2, 2, 2}, 1),
      rankWith(2, {1, 1, 1}, 0, v1::DTYPE_INT8), rankWith(3, {})};
  for (const StepRange& steps :
       {StepRange(), StepRange(0, 1), StepRange(2, 2)}) {
    const Budget budget = built(steps, ranks);
    EXPECT_TRUE(check(budget, ranks).met()) << steps.text();
  }
}

TEST(BudgetBuilderTest, UsualStepsLeaveOutTheLast) {
  const auto usual = [](std::initializer_list<std::uint64_t> numbers) {
    Marks marks;
    std::uint64_t position = 0;
    for (const std::uint64_t number : numbers) {
      marks.add({++position, 0, v1::MARK_KIND_STEP, number});
    }
    marks.finish(Instant(), Instant());
    return usualSteps(marks).text();
  };
  EXPECT_EQ(usual({}), "all");
  EXPECT_EQ(usual({4}), "4");
  EXPECT_EQ(usual({4, 5, 6}), "4-5");
  EXPECT_EQ(usual({9, 1, 2}), "all");
}

}  // namespace
}  // namespace traced
