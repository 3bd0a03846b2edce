// Tests the detection of program forks with made-up calls.

#include "analysis/diagnosis/program/program_forks.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

constexpr std::uint32_t kRole = 1;

// The first calls of two programs decide whether they differ from the start.
ProgramCalls program(std::uint32_t rank, std::uint32_t word, v1::Operation op) {
  ProgramCalls program;
  program.rank = rank;
  program.roles = {kRole};
  program.calls = {{}, {.group_role = kRole, .role = kRole, .seq = 1}};
  program.calls.back().word = program.calls.back().kind = word;
  program.calls.back().op = op;
  return program;
}

std::size_t forksOf(v1::Operation own, v1::Operation other) {
  const std::map<std::uint32_t, ProgramCalls> programs = {
      {0, program(0, 2, own)}, {1, program(1, 3, other)}};
  std::size_t forks = 0;
  ForkFinder(programs).forEachFork(0, [&](const ProgramFork& fork) {
    EXPECT_EQ(fork.branches.size(), 2u);
    ++forks;
  });
  return forks;
}

TEST(ProgramForksTest, DifferentFirstCallsAreAFork) {
  EXPECT_EQ(forksOf(v1::OPERATION_ALL_REDUCE, v1::OPERATION_BARRIER), 1u);
}

TEST(ProgramForksTest, ASenderOfAFirstMessageNeedNotAgreeWithOthers) {
  EXPECT_EQ(forksOf(v1::OPERATION_ALL_REDUCE, v1::OPERATION_SEND), 0u);
  EXPECT_EQ(forksOf(v1::OPERATION_RECV, v1::OPERATION_ALL_REDUCE), 0u);
}

}  // namespace
}  // namespace traced
