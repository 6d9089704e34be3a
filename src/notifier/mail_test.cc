#include "notifier/mail.h"

#include <gtest/gtest.h>

#include "notifier/mail_encoding.h"
#include "notifier/mail_message.h"
#include "notifier/sample_delivery.h"

namespace gpusched::notifier {
namespace {

std::string endpoint_text(std::string_view host, std::string_view tls) {
  const auto to = mail_endpoint(host, tls);
  if (!to) return to.error().message;
  return to->host + " " + to->port + (to->only_loopback ? " loopback" : "");
}

TEST(Mail, KnowsTheUsualPorts) {
  EXPECT_EQ(endpoint_text("mail.example", "starttls"), "mail.example 587");
  EXPECT_EQ(endpoint_text("mail.example", "tls"), "mail.example 465");
  EXPECT_EQ(endpoint_text("[::1]:2525", "none"), "::1 2525 loopback");
  EXPECT_EQ(endpoint_text("mail.example:25", "starttls"), "mail.example 25");
  EXPECT_EQ(endpoint_text("mail.example:x", "tls"), "its host must be like mail.example.org:587");
  EXPECT_EQ(endpoint_text("", "tls"), "its host must be like mail.example.org:587");
  EXPECT_EQ(endpoint_text("a", "maybe"), "its tls must be starttls, tls or none");
}

TEST(Mail, EncodesHeadersInShortWords) {
  EXPECT_EQ(header_words("plain words", 9), "plain words");
  EXPECT_EQ(header_words("91 \xC2\xB0\x43", 9), "=?UTF-8?B?OTEgwrBD?=");
  EXPECT_EQ(header_words("=?UTF-8?Q?x?=", 9), "=?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?=");
  // No character is cut in two, no line is longer than 76.
  std::string euros;
  for (int i = 0; i < 40; ++i) euros += "\xE2\x82\xAC";
  const std::string words = header_words(euros, 9);
  EXPECT_EQ(words.find("\r\n ="), 68U);
  EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 2);
}

TEST(Mail, WritesQuotedPrintable) {
  EXPECT_EQ(quoted_printable("a=b \n91 \xC2\xB0\n"), "a=3Db=20\r\n91 =C2=B0\r\n");
  EXPECT_EQ(quoted_printable("no end"), "no end\r\n");
  EXPECT_EQ(quoted_printable(std::string(80, 'a')),
            std::string(75, 'a') + "=\r\n" + std::string(5, 'a') + "\r\n");
}

TEST(Mail, DoublesDotsAndEnds) {
  EXPECT_EQ(as_data("a\r\n.\r\n..b\n"), "a\r\n..\r\n...b\r\n.\r\n");
  EXPECT_EQ(as_data(""), ".\r\n");
}

Delivery mail_sample() {
  Delivery delivery = sample_delivery(Channel::kMail);
  delivery.receiver.from = "gpu@example.org";
  delivery.receiver.to = {"ml1@example.org"};
  return delivery;
}

std::string header_of(const std::string& mail, const std::string& name) {
  const std::size_t at = mail.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 4;
  return mail.substr(begin, mail.find("\r\n", begin) - begin);
}

TEST(Mail, OfOneThreadHangsTogether) {
  Delivery first = mail_sample();
  Delivery second = first;
  second.message.id = 9;
  second.message.notice.resolved = true;
  Delivery other = first;
  other.message.notice.thread = "temperature/card 1";
  const auto written = [](const Delivery& d) { return mail_message(d, *mail_people(d)); };
  const std::string a = written(first);
  const std::string b = written(second);
  EXPECT_EQ(written(first), a);
  EXPECT_NE(header_of(a, "Message-ID"), header_of(b, "Message-ID"));
  EXPECT_FALSE(header_of(a, "References").empty());
  EXPECT_EQ(header_of(a, "References"), header_of(b, "In-Reply-To"));
  EXPECT_NE(header_of(a, "References"), header_of(written(other), "References"));
  EXPECT_EQ(header_of(a, "Auto-Submitted"), "auto-generated");
  EXPECT_TRUE(a.starts_with("Date: Thu, 01 Jan 2026 08:00:00 +0000\r\n"));
}

TEST(Mail, HasNoHeaderOutOfAJobsName) {
  Delivery delivery = hostile_delivery(Channel::kMail);
  delivery.receiver.from = "gpu@example.org";
  delivery.receiver.to = {"ml1@example.org"};
  delivery.machine = "node1\r\nBcc: a@b";
  const std::string mail = mail_message(delivery, *mail_people(delivery));
  EXPECT_EQ(mail.find("\nBcc"), std::string::npos);
  for (std::size_t begin = 0; begin < mail.size();) {
    const std::size_t end = mail.find("\r\n", begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - begin, 200U);
    begin = end + 2;
  }
}

TEST(Mail, GoesToTheMessagesOwnAddressIfItHasOne) {
  Delivery delivery = mail_sample();
  delivery.message.address = "ml2@example.org";
  EXPECT_EQ(mail_people(delivery)->to, std::vector<std::string>{"ml2@example.org"});
}

TEST(Mail, RefusesWhatIsNoAddress) {
  Delivery delivery = mail_sample();
  delivery.message.address = "ml1@example.org>\r\nRCPT TO:<ml2@example.org";
  EXPECT_EQ(mail_people(delivery).error().message,
            "a recipient is not a mail address: \"ml1@example.org>  RCPT TO:<ml2@example.org\"");
  delivery = mail_sample();
  delivery.receiver.to.clear();
  EXPECT_EQ(mail_people(delivery).error().message, "it has no recipient");
  delivery = mail_sample();
  delivery.receiver.from = "nobody";
  EXPECT_EQ(mail_people(delivery).error().message, "the sender is not a mail address: \"nobody\"");
  delivery.receiver.from = "";
  EXPECT_EQ(mail_people(mail_sample())->from, "gpu@example.org");
  EXPECT_EQ(mail_people(delivery).value().from, "gpusched@node1");
}

}  // namespace
}  // namespace gpusched::notifier
