#include "c10d/callbacks/observers.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace traced {
namespace {

bool may_call = true;
std::vector<bool> called;  // for each event whether it is an end

Observers& observers() {
  return Observers::ofProcess({[]() noexcept { return may_call; },
                               []() noexcept { return true; },
                               [](const CallEvent& event) noexcept {
                                 called.push_back(event.is_end);
                               }});
}

std::shared_ptr<ObservedCall> callFor(
    const std::shared_ptr<Registration>& registration) {
  auto call = std::make_shared<ObservedCall>();
  call->registrations = {registration};
  return call;
}

using Filter = Registration::Filter;

template <typename Value>
Filter only(Value Filter::*member, Value value) {
  Filter filter;
  filter.*member = std::move(value);
  return filter;
}

bool selects(const Filter& filter, Operation op, std::uint64_t seq) {
  const auto registration = observers().add(filter);
  const bool found = !observers().registrationsFor(op, "dp", seq).empty();
  observers().remove(registration);
  return found;
}

TEST(ObserversTest, FiltersSelectOperations) {
  constexpr auto kReduce = Operation::kAllReduce;
  EXPECT_TRUE(selects({}, kReduce, 7));
  const Filter reduce = only(&Filter::ops, std::set<Operation>{kReduce});
  EXPECT_TRUE(selects(reduce, kReduce, 7));
  EXPECT_FALSE(selects(reduce, Operation::kSend, 7));
  using Labels = std::set<std::string>;
  EXPECT_TRUE(selects(only(&Filter::groups, Labels{"dp", "tp"}), kReduce, 7));
  EXPECT_FALSE(selects(only(&Filter::groups, Labels{"tp"}), kReduce, 7));
  const Filter third = only(&Filter::every, std::uint64_t{3});
  EXPECT_TRUE(selects(third, kReduce, 7));
  EXPECT_FALSE(selects(third, kReduce, 8));
  EXPECT_FALSE(selects(third, kReduce, 0));
  const Filter seventh = only(&Filter::seq, std::uint64_t{7});
  EXPECT_TRUE(selects(seventh, kReduce, 7));
  EXPECT_FALSE(selects(seventh, kReduce, 8));
}

TEST(ObserversTest, AnEndIsPassedOnce) {
  const auto call = callFor(observers().add({}));
  passEnd(call, false);
  passEnd(call, true);
  PendingEnd::of(call)->completed(false);
  EXPECT_EQ(called, std::vector<bool>{true});
}

TEST(ObserversTest, AThreadWithoutPythonQueuesEvents) {
  const auto call = callFor(observers().add({}));
  may_call = false;
  observers().pass({call, false, std::nullopt, {}});
  PendingEnd::of(call)->completed(true);
  EXPECT_TRUE(called.empty());
  EXPECT_FALSE(observers().takeQueued()->is_end);
  EXPECT_EQ(observers().takeQueued()->failed, true);
}

TEST(ObserversTest, AnEndFollowsItsQueuedIssue) {
  const auto call = callFor(observers().add({}));
  may_call = false;
  observers().pass({call, false, std::nullopt, {}});
  may_call = true;
  passEnd(call, false);
  EXPECT_TRUE(called.empty());
  EXPECT_FALSE(observers().takeQueued()->is_end);
  EXPECT_TRUE(observers().takeQueued()->is_end);
}

TEST(ObserversTest, EventsBeyondTheRoomAreCounted) {
  const auto registration = observers().add({});
  std::vector<std::shared_ptr<PendingEnd>> pending;
  for (std::size_t i = 0; i < EventQueue::kMax; ++i) {
    pending.push_back(PendingEnd::of(callFor(registration)));
  }
  const auto call = callFor(registration);
  passEnd(call, false);  // by a wait, before the future completes
  PendingEnd::of(call)->completed(false);
  EXPECT_EQ(registration->dropped, 0);
  PendingEnd::of(callFor(registration))->completed(false);
  EXPECT_EQ(registration->dropped, 1);
  pending.pop_back();  // a future that never completes
  PendingEnd::of(callFor(registration))->completed(false);
  EXPECT_EQ(registration->dropped, 1);
}

TEST(ObserversTest, AClosedQueueIsEmptiedFirst) {
  const auto call = callFor(observers().add({}));
  EventQueue& queue = observers().queue();
  PendingEnd::of(call)->completed(false);
  observers().close();
  EXPECT_EQ(Observers::current(), nullptr);
  EXPECT_FALSE(queue.reserve());
  EXPECT_TRUE(queue.take());
  EXPECT_FALSE(queue.take());
}

}  // namespace
}  // namespace traced
