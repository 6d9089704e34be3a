// What is said to a mail server, reply by reply. Pure: it neither sends nor waits. A login and a
// message go over TLS alone, unless the settings say that there is none (to this machine).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "notifier/smtp_reply.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

struct SmtpPlan {
  bool starttls = true;    // Begin in plain text, and change over.
  bool encrypted = false;  // TLS from the first byte.
  std::string own_name;    // For EHLO.
  std::string user, password;
  std::string from;
  std::vector<std::string> to;
  std::string data;  // The message, as it is sent: dots doubled, and its end.
};

class SmtpDialogue {
 public:
  enum class Next : unsigned char { kSend, kStartTls, kEnd };
  struct Step {
    Next next = Next::kSend;
    std::string bytes = {};
  };

  SmtpDialogue(const Delivery& delivery, SmtpPlan plan);
  // What to do after this reply. kStartTls: shake hands, then call after_tls().
  Step on_reply(const SmtpReply& reply);
  Step after_tls();
  // REQUIRES: the last step was kEnd.
  const DeliveryOutcome& outcome() const { return outcome_; }

 private:
  enum class Stage : unsigned char {
    kGreeting,
    kHello,
    kStartTls,
    kLoginUser,
    kLoginPassword,
    kLogin,
    kFrom,
    kTo,
    kData,
    kText,
  };
  Step send(Stage stage, const std::string& line);
  Step end(DeliveryResult result, std::string error);
  // The reply is an error: what was being done, and the verdict by its code.
  Step refused(const std::string& doing, const SmtpReply& reply);
  Step after_hello(const SmtpReply& reply);
  Step log_in(const SmtpReply& hello);
  Step begin_mail() { return send(Stage::kFrom, "MAIL FROM:<" + plan_.from + ">"); }
  Step after_recipient(const SmtpReply& reply);
  Step after_text(const SmtpReply& reply);

  const Delivery& delivery_;
  SmtpPlan plan_;
  Stage stage_ = Stage::kGreeting;
  std::size_t next_to_ = 0;
  std::size_t taken_ = 0;      // Recipients that it took.
  bool some_later_ = false;    // It refused one for now.
  std::string first_refused_;  // What it said of the first that it refused.
  DeliveryOutcome outcome_;
};

}  // namespace gpusched::notifier
