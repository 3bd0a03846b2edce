// Tests that one client cannot keep others from connecting.

#include "cli/serve/http/connection_pool.h"

#include <gtest/gtest.h>

#include <deque>

namespace traced {
namespace {

struct Connection : PooledConnection {
  void close() override { is_open = false; }
  bool is_open = true;
};

TEST(ConnectionPoolTest, TheOldestOfTheSourceWithMostIsReplaced) {
  ConnectionPool pool(4);
  std::deque<Connection> of_many(5);
  Connection of_one;
  Connection of_another;
  pool.add(of_one, "a");
  for (Connection& each : of_many) pool.add(each, "b");
  pool.add(of_another, "c");
  EXPECT_TRUE(of_one.is_open);
  EXPECT_TRUE(of_another.is_open);
  const bool open[] = {false, false, false, true, true};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(of_many[i].is_open, open[i]) << i;
}

TEST(ConnectionPoolTest, ARemovedConnectionTakesNoRoom) {
  ConnectionPool pool(1);
  Connection first;
  Connection second;
  pool.add(first, "a");
  pool.remove(first);
  pool.remove(first);
  pool.add(second, "a");
  EXPECT_TRUE(first.is_open);
  EXPECT_TRUE(second.is_open);
}

}  // namespace
}  // namespace traced
