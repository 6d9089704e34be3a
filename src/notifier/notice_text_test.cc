#include "notifier/notice_text.h"

#include <gtest/gtest.h>

#include "notifier/sample_delivery.h"

namespace gpusched::notifier {
namespace {

TEST(NoticeText, SaysTheFactFirst) {
  const NoticeText text = notice_text(sample_delivery(Channel::kSlack));
  EXPECT_EQ(whole_text(text),
            "CRITICAL node1: card 0 is at 91 \xC2\xB0\x43, its limit is 87 \xC2\xB0\x43\n"
            "Since: 2026-01-01 07:55:00 UTC\n"
            "Concerns: job 42 of ml1, job 43 of ml2\n"
            "What to do: look at the fans; `gpusched drain 0` takes it out of service\n"
            "Look: https://node1.example/jobs/42");
}

TEST(NoticeText, CountsAndNamesWhatTheFactDoesNot) {
  Delivery delivery = sample_delivery(Channel::kSlack);
  delivery.message.notice.subject = "tenant lab";
  delivery.message.notice.resolved = true;
  delivery.message.times = 10'000;
  delivery.message.others = {"job 2 failed"};
  const NoticeText text = notice_text(delivery);
  EXPECT_EQ(text.title.substr(0, 36), "RESOLVED node1: tenant lab: card 0 i");
  ASSERT_EQ(text.lines.size(), 5U);
  EXPECT_EQ(line_text(text.lines[0]), "It began: 2026-01-01 07:55:00 UTC");
  EXPECT_EQ(line_text(text.lines[2]), "Also: job 2 failed");
  EXPECT_EQ(line_text(text.lines[3]), "10,000 in all, the last at 2026-01-01 08:00:00 UTC");
}

}  // namespace
}  // namespace gpusched::notifier
