#include "notifier/couriers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>

#include "notifier/leftovers.h"
#include "notifier/sample_delivery.h"
#include "os/clock.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::notifier {
namespace {

Delivery to(const std::string& receiver, std::uint64_t id) {
  Delivery delivery = sample_delivery(Channel::kWebhook);
  delivery.id = id;
  delivery.receiver.name = receiver;
  return delivery;
}

// Collects until so many have ended.
std::map<std::uint64_t, DeliveryOutcome> collect(Couriers& couriers, std::size_t count) {
  std::map<std::uint64_t, DeliveryOutcome> all;
  const Boot end = read_clock().boot + Seconds{60};
  while (all.size() < count && read_clock().boot < end) {
    couriers.start(read_clock().boot);
    std::vector<pollfd> entries;
    couriers.wait_on(entries);
    ::poll(entries.data(), entries.size(), 100);
    for (const DeliveryOutcome& outcome : couriers.collect(read_clock().boot)) {
      all[outcome.id] = outcome;
    }
    couriers.end_strays(read_clock().boot);
  }
  return all;
}

TEST(Couriers, BringWhatTheWorkSays) {
  Couriers couriers(
      [](const Delivery& delivery, Boot) {
        return DeliveryOutcome{.id = delivery.id,
                               .result = DeliveryResult::kRefused,
                               .error = "no",
                               .retry_after = Seconds{3}};
      },
      [] {});
  couriers.add(to("a", 1), read_clock().boot);
  auto all = collect(couriers, 1);
  EXPECT_EQ(all[1].result, DeliveryResult::kRefused);
  EXPECT_EQ(all[1].error, "no");
  EXPECT_EQ(all[1].retry_after, Seconds{3});
  EXPECT_TRUE(couriers.idle());
}

TEST(Couriers, WhatAKilledOneHadStartedIsEndedWithIt) {
  adopt_orphans();
  const testing::TemporaryDirectory place;
  const std::string file = place / "pid";
  Couriers couriers(
      [&](const Delivery& delivery, Boot) {
        const pid_t child = ::fork();
        if (child == 0) ::setsid();
        if (child > 0) std::ofstream(file) << child;
        while (true) ::pause();
        return DeliveryOutcome{.id = delivery.id};
      },
      [] {});
  Delivery delivery = to("a", 1);
  delivery.receiver.timeout = Seconds{1};
  couriers.add(delivery, read_clock().boot);
  EXPECT_EQ(collect(couriers, 1)[1].error, "it did not answer within 1 s");
  std::string pid;
  std::ifstream(file) >> pid;
  ASSERT_FALSE(pid.empty());
  EXPECT_NE(::access(("/proc/" + pid).c_str(), F_OK), 0);
}

TEST(Couriers, WhoCrashesOrHangsHarmsNobodyElse) {
  Couriers couriers(
      [](const Delivery& delivery, Boot) {
        if (delivery.receiver.name == "crash") ::raise(SIGKILL);
        if (delivery.receiver.name == "hang") ::pause();
        return DeliveryOutcome{.id = delivery.id, .result = DeliveryResult::kDelivered};
      },
      [] {});
  Delivery hang = to("hang", 2);
  hang.receiver.timeout = Seconds{1};
  couriers.add(to("crash", 1), read_clock().boot);
  couriers.add(hang, read_clock().boot);
  couriers.add(to("good", 3), read_clock().boot);
  auto all = collect(couriers, 3);
  EXPECT_EQ(all[1].result, DeliveryResult::kAgain);
  EXPECT_EQ(all[1].error, "its delivery broke down inside the notifier");
  EXPECT_EQ(all[2].error, "it did not answer within 1 s");
  EXPECT_EQ(all[3].result, DeliveryResult::kDelivered);
}

TEST(Couriers, GoOneAfterTheOtherToOneReceiver) {
  Couriers couriers(
      [](const Delivery& delivery, Boot) {
        return DeliveryOutcome{.id = delivery.id, .result = DeliveryResult::kDelivered};
      },
      [] {});
  couriers.add(to("a", 1), read_clock().boot);
  couriers.add(to("a", 2), read_clock().boot);
  couriers.add(to("b", 3), read_clock().boot);
  couriers.start(read_clock().boot);
  std::vector<pollfd> under_way;
  couriers.wait_on(under_way);
  EXPECT_EQ(under_way.size(), 2U);
  EXPECT_EQ(collect(couriers, 3).size(), 3U);
}

TEST(Couriers, WhatHasNotBegunCanBeDropped) {
  Couriers couriers(
      [](const Delivery& delivery, Boot) {
        return DeliveryOutcome{.id = delivery.id, .result = DeliveryResult::kDelivered};
      },
      [] {});
  couriers.add(to("a", 1), read_clock().boot);
  couriers.add(to("a", 2), read_clock().boot);
  couriers.start(read_clock().boot);
  couriers.drop_waiting();
  EXPECT_FALSE(couriers.idle());
  EXPECT_EQ(collect(couriers, 1).count(1), 1U);
  EXPECT_TRUE(couriers.idle());
}

// Mail to as many addresses of one server, which hangs.
void add_hanging_mail(Couriers& couriers, int count, Boot now) {
  for (int i = 0; i < count; ++i) {
    Delivery mail = to("mail", static_cast<std::uint64_t>(i) + 1);
    mail.message.address = "ml" + std::to_string(i) + "@example.org";
    mail.receiver.timeout = Seconds{60};
    couriers.add(mail, now);
  }
}

TEST(Couriers, ToOneReceiverTakeOnlyAFewPlaces) {
  Couriers couriers(
      [](const Delivery& delivery, Boot) {
        if (delivery.receiver.name == "mail") ::pause();
        return DeliveryOutcome{.id = delivery.id, .result = DeliveryResult::kDelivered};
      },
      [] {});
  const Boot now = read_clock().boot;
  add_hanging_mail(couriers, 100, now);
  couriers.add(to("good", 1000), now);
  couriers.start(now);
  std::vector<pollfd> under_way;
  couriers.wait_on(under_way);
  EXPECT_EQ(under_way.size(), 5U);
  EXPECT_EQ(collect(couriers, 1).count(1000), 1U);
  couriers.collect(now + Seconds{100});  // Ends those that hang.
}

TEST(Couriers, WhoWaitedTooLongIsToldToComeAgain) {
  Couriers couriers(
      [](const Delivery& delivery, Boot) {
        ::pause();
        return DeliveryOutcome{.id = delivery.id};
      },
      [] {});
  const Boot now = read_clock().boot;
  add_hanging_mail(couriers, 6, now);
  EXPECT_TRUE(couriers.start(now).empty());
  EXPECT_EQ(couriers.next_deadline(now + Seconds{3600}), now + Seconds{60});
  const auto late = couriers.start(now + Seconds{60});
  ASSERT_EQ(late.size(), 2U);
  EXPECT_EQ(late[0].id, 5U);
  EXPECT_EQ(late[0].result, DeliveryResult::kAgain);
  EXPECT_EQ(late[0].error, "those before it took all of its time");
  EXPECT_EQ(couriers.collect(now + Seconds{61}).size(), 4U);
  EXPECT_TRUE(couriers.idle());
}

}  // namespace
}  // namespace gpusched::notifier
