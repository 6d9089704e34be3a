#include "wire/notifier_lines.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

constexpr Wall kThen{Microseconds{1'767'254'400'123'000}};

Delivery full_delivery() {
  Delivery d;
  d.id = 7;
  d.receiver = {.name = "lab",
                .channel = Channel::kMail,
                .url = "https://a.example/x",
                .url_file = "/etc/u",
                .secret_file = "/etc/s",
                .ca_file = "/etc/c",
                .topic = "cards",
                .command = {"/bin/true", "--a b"},
                .host = "mail.example:587",
                .tls = "tls",
                .user = "u",
                .from = "gpu@example.org",
                .to = {"a@example.org", "b@example.org"},
                .for_users = true,
                .addresses = {"@example.org"},
                .timeout = Seconds{3},
                .give_up = Seconds{60}};
  d.url = "https://b.example/secret";
  d.secret = "key";
  d.ca = "-----BEGIN CERTIFICATE-----\n";
  d.message = {.id = 7,
               .receiver = "lab",
               .address = "ml1@example.org",
               .notice = {.thread = "job 9",
                          .group = "job_failed",
                          .severity = Severity::kCritical,
                          .resolved = true,
                          .rule = "job_failed",
                          .subject = "job 9",
                          .what = "job 9 \"\xff\n\" failed",
                          .whom = "ml1",
                          .since = kThen,
                          .advice = "look at its log",
                          .job = JobId{9},
                          .card = CardNumber{0},
                          .attachment = "a report\n"},
               .times = 3,
               .others = {"job 10 failed"},
               .at = kThen,
               .last_at = kThen + Seconds{1},
               .due = kThen + Seconds{2},
               .tries = 4,
               .error = "no answer"};
  d.mark = "1767254400123000";
  d.machine = "node1";
  d.link = "https://node1/";
  d.now = kThen;
  return d;
}

TEST(NotifierLines, ADeliveryIsReadAsItWasWritten) {
  const Delivery written = full_delivery();
  const std::string line = write_line(written);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = read_delivery(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, written.id);
  EXPECT_EQ(read->receiver, written.receiver);
  EXPECT_EQ(read->message, written.message);
  EXPECT_EQ(read->url, written.url);
  EXPECT_EQ(read->secret, written.secret);
  EXPECT_EQ(read->ca, written.ca);
  EXPECT_EQ(read->mark, written.mark);
  EXPECT_EQ(read->machine, written.machine);
  EXPECT_EQ(read->link, written.link);
  EXPECT_EQ(read->now, written.now);
}

TEST(NotifierLines, AnEmptyDeliveryIsReadAsItWasWritten) {
  const auto read = read_delivery(write_line(Delivery{}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->receiver, Receiver{});
  EXPECT_EQ(read->message, Message{});
}

TEST(NotifierLines, EveryChannelHasItsWord) {
  for (std::size_t i = 0; i < kChannelWords.size(); ++i) {
    Delivery delivery;
    delivery.receiver.channel = static_cast<Channel>(i);
    const auto read = read_delivery(write_line(delivery));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->receiver.channel, delivery.receiver.channel);
  }
  EXPECT_EQ(channel_word(Channel::kAlertmanager), "alertmanager");
}

TEST(NotifierLines, ALongAttachmentIsCutSoThatTheLineIsShortEnough) {
  Delivery delivery;
  for (int i = 0; i < 400'000; ++i) delivery.message.notice.attachment += "\xC3\xA4";
  delivery.message.notice.attachment += std::string(600'000, '\n');
  const std::string line = write_line(delivery);
  EXPECT_LE(line.size(), kNotifierLineMost);
  const auto read = read_delivery(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GT(read->message.notice.attachment.size(), 1000U);
}

TEST(NotifierLines, AnOutcomeIsReadAsItWasWritten) {
  for (const DeliveryResult result :
       {DeliveryResult::kDelivered, DeliveryResult::kAgain, DeliveryResult::kRefused}) {
    const DeliveryOutcome written{
        .id = 5, .result = result, .error = "it says 429", .retry_after = Seconds{30}};
    const auto read = read_outcome(write_line(written));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->id, 5U);
    EXPECT_EQ(read->result, result);
    EXPECT_EQ(read->error, written.error);
    EXPECT_EQ(read->retry_after, written.retry_after);
  }
  const auto plain = read_outcome(write_line(DeliveryOutcome{.id = 1}));
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->retry_after);
}

TEST(NotifierLines, AFaultNamesItsFieldAndQuotesNothing) {
  std::string line = write_line(full_delivery());
  const auto fault = [](const std::string& text) { return read_delivery(text).error().message; };
  EXPECT_EQ(fault("{\"secret\":\"hush"), "the line is not JSON");
  EXPECT_EQ(fault("{}"), "type must be \"deliver\"");
  EXPECT_EQ(fault(R"({"type":"deliver","id":1})"), "receiver must be there");
  EXPECT_EQ(fault(R"({"type":"deliver","id":1,"receiver":{"name":7},"message":{"notice":{}}})"),
            "receiver.name must be a string, not a number");
  EXPECT_EQ(fault(R"({"type":"deliver","id":1,"receiver":{},"message":{"notice":7}})"),
            "notice must be an object, not a number");
  EXPECT_EQ(fault(std::string(kNotifierLineMost + 1, ' ')), "the line is too long");
  EXPECT_FALSE(read_outcome(line));
}

// It becomes a word of a line in the journal.
TEST(NotifierLines, AMarkIsOneShortWord) {
  for (const std::string& bad : {std::string("7 delivered"), std::string("a\n7"),
                                 std::string("../x"), std::string(kMarkMost + 1, 'a')}) {
    Delivery delivery = full_delivery();
    delivery.mark = bad;
    EXPECT_FALSE(read_delivery(write_line(delivery))) << bad;
  }
}

TEST(NotifierLines, FieldsOfALaterVersionArePassedOver) {
  const auto read = read_outcome(R"({"v":2,"type":"outcome","id":3,"result":"refused","x":[1]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->result, DeliveryResult::kRefused);
}

}  // namespace
}  // namespace gpusched
