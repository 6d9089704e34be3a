#include "api/tickets.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Tickets, AreSoManyForEachUserAndComeBack) {
  Tickets tickets(2, "two are under way");
  auto first = tickets.take(1000);
  auto second = tickets.take(1000);
  ASSERT_TRUE(first && second);
  const auto third = tickets.take(1000);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kBusy);
  EXPECT_EQ(third.error().message, "two are under way");
  EXPECT_TRUE(tickets.take(1001)) << "others have their own";
  const Tickets::Ticket copy = *first;
  first->reset();
  EXPECT_FALSE(tickets.take(1000)) << "a copy of it is there";
  second->reset();
  EXPECT_TRUE(tickets.take(1000));
}

TEST(Tickets, OutliveTheirMaker) {
  Tickets::Ticket kept;
  {
    Tickets tickets(1, "one is under way");
    kept = *tickets.take(1000);
  }
  kept.reset();
}

}  // namespace
}  // namespace gpusched
