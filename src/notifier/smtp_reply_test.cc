#include "notifier/smtp_reply.h"

#include <gtest/gtest.h>

namespace gpusched::notifier {
namespace {

std::string replies_of(std::string_view bytes) {
  SmtpReplyReader reader;
  std::string all;
  for (const char& byte : bytes) {
    reader.arrived({&byte, 1});
    const auto reply = reader.take();
    if (!reply) return all + reply.error().message;
    if (*reply) {
      all += std::to_string((*reply)->code);
      for (const std::string& line : (*reply)->lines) all += "|" + line;
      all += ";";
    }
  }
  return all;
}

TEST(SmtpReply, IsReadByteByByte) {
  EXPECT_EQ(replies_of("220 mail ESMTP\r\n250-mail\r\n250-STARTTLS\r\n250 8BITMIME\r\n354\n"),
            "220|mail ESMTP;250|mail|STARTTLS|8BITMIME;354|;");
}

TEST(SmtpReply, KnowsWhatIsNoMailServer) {
  const std::string no = "what answers there is no mail server";
  EXPECT_EQ(replies_of("HTTP/1.1 400 Bad\r\n"), no);
  EXPECT_EQ(replies_of("25\r\n"), no);
  EXPECT_EQ(replies_of("100 x\r\n"), no);
  EXPECT_EQ(replies_of("250-a\r\n251 b\r\n"), no);
  EXPECT_EQ(replies_of("250x\r\n"), no);
  EXPECT_EQ(replies_of(std::string(3000, '2')), no);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "250-a\r\n";
  EXPECT_EQ(replies_of(many), no);
}

}  // namespace
}  // namespace gpusched::notifier
