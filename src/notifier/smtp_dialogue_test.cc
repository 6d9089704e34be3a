#include "notifier/smtp_dialogue.h"

#include <gtest/gtest.h>

#include "notifier/sample_delivery.h"

namespace gpusched::notifier {
namespace {

// Plays a server's replies; what was said to it, line by line, and the outcome at its end.
class SmtpPlay {
 public:
  explicit SmtpPlay(SmtpPlan plan)
      : delivery_(sample_delivery(Channel::kMail)), dialogue_(delivery_, std::move(plan)) {}

  std::string hear(const std::string& bytes) {
    SmtpReplyReader reader;
    reader.arrived(bytes);
    const auto reply = reader.take();
    if (!reply || !*reply) return "no reply";
    return shown(dialogue_.on_reply(**reply));
  }
  std::string shake_hands() { return shown(dialogue_.after_tls()); }

 private:
  std::string shown(const SmtpDialogue::Step& step) const {
    switch (step.next) {
      case SmtpDialogue::Next::kSend:
        return step.bytes.substr(0, step.bytes.rfind("\r\n"));
      case SmtpDialogue::Next::kStartTls:
        return "(TLS)";
      case SmtpDialogue::Next::kEnd:
        break;
    }
    const DeliveryOutcome& outcome = dialogue_.outcome();
    return std::string(result_word(outcome.result)) +
           (outcome.error.empty() ? "" : ": " + outcome.error);
  }
  Delivery delivery_;
  SmtpDialogue dialogue_;
};

SmtpPlan plan_with_login() {
  return {.own_name = "node1",
          .user = "me",
          .password = "SEC-hush",
          .from = "gpu@example.org",
          .to = {"ml1@example.org", "ml2@example.org"},
          .data = "Subject: x\r\n\r\ny\r\n.\r\n"};
}
SmtpPlan plain_plan() {
  SmtpPlan plan = plan_with_login();
  plan.starttls = false;
  plan.user.clear();
  return plan;
}

TEST(SmtpDialogue, ChangesToTlsBeforeItLogsIn) {
  SmtpPlay play(plan_with_login());
  EXPECT_EQ(play.hear("220 mail\r\n"), "EHLO node1");
  EXPECT_EQ(play.hear("250-mail\r\n250-AUTH PLAIN\r\n250 STARTTLS\r\n"), "STARTTLS");
  EXPECT_EQ(play.hear("220 go\r\n"), "(TLS)");
  EXPECT_EQ(play.shake_hands(), "EHLO node1");
  EXPECT_EQ(play.hear("250-mail\r\n250 AUTH LOGIN PLAIN\r\n"), "AUTH PLAIN AG1lAFNFQy1odXNo");
  EXPECT_EQ(play.hear("235 ok\r\n"), "MAIL FROM:<gpu@example.org>");
  EXPECT_EQ(play.hear("250 ok\r\n"), "RCPT TO:<ml1@example.org>");
  EXPECT_EQ(play.hear("250 ok\r\n"), "RCPT TO:<ml2@example.org>");
  EXPECT_EQ(play.hear("250 ok\r\n"), "DATA");
  EXPECT_EQ(play.hear("354 go\r\n"), "Subject: x\r\n\r\ny\r\n.");
  EXPECT_EQ(play.hear("250 queued\r\n"), "delivered");
}

TEST(SmtpDialogue, SaysNothingWithoutTheTlsItWants) {
  SmtpPlay play(plan_with_login());
  play.hear("220 mail\r\n");
  EXPECT_EQ(play.hear("250-mail\r\n250 AUTH PLAIN\r\n"),
            "again: the mail server offers no STARTTLS; without it nothing is sent");
}

TEST(SmtpDialogue, LogsInStepByStepWhereThatIsAllThereIs) {
  SmtpPlan plan = plan_with_login();
  plan.starttls = false;
  plan.encrypted = true;
  SmtpPlay play(plan);
  play.hear("220 mail\r\n");
  EXPECT_EQ(play.hear("250-mail\r\n250 AUTH=LOGIN\r\n"), "AUTH LOGIN");
  EXPECT_EQ(play.hear("334 VXNlcm5hbWU6\r\n"), "bWU=");
  EXPECT_EQ(play.hear("334 UGFzc3dvcmQ6\r\n"), "U0VDLWh1c2g=");
  EXPECT_EQ(play.hear("535 5.7.8 SEC-hush is wrong\r\n"),
            "refused: the mail server does not take the login: 535 5.7.8 *** is wrong");
}

TEST(SmtpDialogue, NeverLogsInWithoutTls) {
  SmtpPlan plan = plain_plan();
  plan.user = "me";
  SmtpPlay play(plan);
  play.hear("220 mail\r\n");
  EXPECT_EQ(play.hear("250-mail\r\n250 AUTH PLAIN\r\n"),
            "refused: a login is sent over TLS alone; set tls, or no user");
}

TEST(SmtpDialogue, TellsForNowFromForGood) {
  for (const bool later : {false, true}) {
    const std::string code = later ? "451" : "550";
    const std::string word = later ? "again" : "refused";
    SmtpPlay greeting(plain_plan());
    EXPECT_EQ(greeting.hear(code + " no\r\n"),
              word + ": the mail server does not let us in: " + code + " no");
    SmtpPlay sender(plain_plan());
    sender.hear("220 mail\r\n");
    sender.hear("250 mail\r\n");
    EXPECT_EQ(sender.hear(code + " no\r\n"),
              word + ": the mail server does not take the sender: " + code + " no");
    SmtpPlay text(plain_plan());
    for (const char* reply :
         {"220 a\r\n", "250 a\r\n", "250 a\r\n", "250 a\r\n", "250 a\r\n", "354 a\r\n"}) {
      text.hear(reply);
    }
    EXPECT_EQ(text.hear(code + " no\r\n"),
              word + ": the mail server does not take the message: " + code + " no");
  }
}

TEST(SmtpDialogue, SaysWhoDidNotGetIt) {
  SmtpPlay play(plain_plan());
  for (const char* reply : {"220 a\r\n", "250 a\r\n", "250 a\r\n"}) play.hear(reply);
  EXPECT_EQ(play.hear("550 nobody\r\n"), "RCPT TO:<ml2@example.org>");
  EXPECT_EQ(play.hear("250 a\r\n"), "DATA");
  play.hear("354 a\r\n");
  EXPECT_EQ(play.hear("250 a\r\n"),
            "delivered: 1 of 2 recipients did not get it; ml1@example.org: 550 nobody");
}

TEST(SmtpDialogue, GivesUpWhenNobodyIsTaken) {
  for (const bool later : {false, true}) {
    SmtpPlay play(plain_plan());
    for (const char* reply : {"220 a\r\n", "250 a\r\n", "250 a\r\n", "550 nobody\r\n"}) {
      play.hear(reply);
    }
    EXPECT_EQ(play.hear(later ? "450 later\r\n" : "550 nobody\r\n"),
              std::string(later ? "again" : "refused") +
                  ": the mail server takes no recipient; ml1@example.org: 550 nobody");
  }
}

}  // namespace
}  // namespace gpusched::notifier
