// Counts what a trace contains, independently of the recorder. Also runs the
// processes of the recovery tests.

#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/record_calls.h"
#include "support/rows_of.h"
#include "support/trace_file.h"

namespace traced::testing {

// All parts below a directory, read as one stream; or a merged file of it.
struct RecoveredTrace {
  // The sequence numbers of issue rows in file order, by batch. The tests use
  // the batch to distinguish threads.
  std::map<std::uint64_t, std::vector<std::uint64_t>> seqs;
  // Their operations, in the same order.
  std::map<std::uint64_t, std::vector<std::uint64_t>> ops;
  // By operation: the number of rows, and their kinds as bits for issue,
  // return, done, wait and release.
  std::map<std::uint64_t, int> rows_of;
  std::map<std::uint64_t, unsigned> kinds_of;
  std::uint64_t rows = 0;
  // Number of rows that the writer added for failed operations.
  std::uint64_t marks = 0;
  std::uint64_t positions_begin = 0;
  std::uint64_t positions_end = 0;
  std::vector<v1::Payload> payloads;

  // Returns the latest accounts. Chunks of several parts that cover no position
  // may be in any order.
  const v1::Accounts& accounts() const {
    const auto age = [](const v1::Payload& payload) {
      const v1::Accounts& accounts = payload.accounts();
      return std::tuple(accounts.produced(), accounts.closed(),
                        accounts.recovered(), ~accounts.stored());
    };
    return std::max_element(
               payloads.begin(), payloads.end(),
               [&](const auto& a, const auto& b) { return age(a) < age(b); })
        ->accounts();
  }
};

// Expects that a payload defines the calls, groups and threads that its rows
// refer to.
inline void checkDefinitions(const v1::Payload& payload) {
  std::set<std::uint32_t> groups, calls, threads;
  for (const auto& group : payload.group()) groups.insert(group.id());
  for (const auto& thread : payload.thread()) threads.insert(thread.id());
  for (const auto& call : payload.call()) calls.insert(call.id());
  for (const std::uint32_t id : payload.issued().call()) {
    EXPECT_TRUE(calls.count(id)) << "call " << id << " is not defined";
  }
  for (const std::uint32_t id : payload.issued().thread()) {
    // 0: the ring had no room for the thread's definition.
    EXPECT_TRUE(id == 0 || threads.count(id))
        << "thread " << id << " is not defined";
  }
  for (const auto& call : payload.call()) {
    const auto& used = payload.issued().call();
    if (std::find(used.begin(), used.end(), call.id()) == used.end()) continue;
    EXPECT_TRUE(groups.count(call.group()))
        << "group " << call.group() << " is not defined";
  }
}

inline void addPayload(RecoveredTrace& trace, const v1::Payload& payload) {
  const auto count = [&](const auto& rows, unsigned kind) {
    for (const auto& row : rows) {
      ++trace.rows_of[row.op];
      trace.kinds_of[row.op] |= 1u << kind;
    }
  };
  const auto issued = rowsOf<IssueRow>(payload);
  for (const IssueRow& row : issued) {
    trace.seqs[row.batch].push_back(row.seq);
    trace.ops[row.batch].push_back(row.op);
  }
  count(issued, 0);
  count(rowsOf<ReturnRow>(payload), 1);
  count(rowsOf<DoneRow>(payload), 2);
  count(rowsOf<WaitRow>(payload), 3);
  count(rowsOf<ReleaseRow>(payload), 4);
  trace.rows += rowCount(payload);
  trace.marks += static_cast<std::uint64_t>(payload.marked().kind_size());
  checkDefinitions(payload);
  trace.payloads.push_back(payload);
}

// Reads a trace. Fails the test unless its chunks are whole and neither overlap
// nor leave a gap.
inline RecoveredTrace readRecovered(const std::string& directory) {
  std::map<std::uint64_t, v1::Chunk> chunks;
  RecoveredTrace read;
  std::vector<v1::Chunk> in_order;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    v1::Trace trace;
    EXPECT_TRUE(trace.ParseFromString(readFile(entry.path())))
        << entry.path() << " is not whole";
    for (const v1::Chunk& chunk : trace.chunk()) {
      if (chunk.stream_id() != 0) in_order.push_back(chunk);
    }
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const v1::Chunk& a, const v1::Chunk& b) {
                     return std::pair(a.first_position(), a.end_position()) <
                            std::pair(b.first_position(), b.end_position());
                   });
  for (const v1::Chunk& chunk : in_order) {
    if (read.payloads.empty()) {
      read.positions_begin = chunk.first_position();
    } else {
      EXPECT_EQ(chunk.first_position(), read.positions_end);
    }
    read.positions_end = chunk.end_position();
    addPayload(read, decodePayload(chunk));
  }
  return read;
}

// Runs `body` in a child process, which then dies of SIGKILL.
template <typename Body>
void inKilledProcess(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

}  // namespace traced::testing
