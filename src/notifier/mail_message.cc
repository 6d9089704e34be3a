#include "notifier/mail_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sha256.h"
#include "base/text.h"
#include "notifier/mail_encoding.h"
#include "notifier/notice_text.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kAddressMost = 254;
constexpr std::size_t kSubjectMost = 200;

bool is_address(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.size() <= kAddressMost && std::ranges::all_of(text, [](char letter) {
           return letter > ' ' && letter < '\x7f' &&
                  std::string_view("<>()[],;:\\\"").find(letter) == std::string_view::npos;
         });
}

tl::unexpected<Error> bad_address(const char* which, std::string_view text) {
  return failure(ErrorCode::kInvalid,
                 fmt::format("{} is not a mail address: \"{}\"", which, cut(one_line(text), 100)));
}

// "Thu, 01 Jan 2026 08:00:00 +0000"
std::string mail_date(Wall time) {
  constexpr std::array<std::string_view, 7> kDays{"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::string text = format_time(time);  // 2026-01-01T08:00:00.000Z
  const auto days = std::chrono::floor<std::chrono::duration<std::int64_t, std::ratio<86'400>>>(
                        time.time_since_epoch())
                        .count();
  const auto weekday = static_cast<std::size_t>((days % 7 + 7) % 7);
  const auto month = static_cast<std::size_t>((text[5] - '0') * 10 + (text[6] - '0') - 1);
  return fmt::format("{}, {} {} {} {} +0000", kDays[weekday], text.substr(8, 2),
                     kMonths[std::min<std::size_t>(month, 11)], text.substr(0, 4),
                     text.substr(11, 8));
}

std::string short_hash(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex().substr(0, 16);
}

std::string text_part(std::string_view text) {
  return "Content-Type: text/plain; charset=utf-8\r\n"
         "Content-Transfer-Encoding: quoted-printable\r\n\r\n" +
         quoted_printable(text);
}

std::string attached_part(std::string_view text) {
  return "Content-Type: text/plain; charset=utf-8; name=\"report.txt\"\r\n"
         "Content-Disposition: attachment; filename=\"report.txt\"\r\n"
         "Content-Transfer-Encoding: base64\r\n\r\n" +
         base64_lines(text);
}

std::string mail_words(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  std::string words = one_line(delivery.message.notice.what) + "\n\n";
  words += "Machine: " + one_line(delivery.machine) + "\n";
  for (const NoticeText::Line& line : text.lines) words += line_text(line) + "\n";
  if (!text.link.empty()) words += "Look: " + text.link + "\n";
  return words + fmt::format("\nThis is message {} of gpusched on {} (rule: {}).\n",
                             delivery.message.id, one_line(delivery.machine),
                             one_line(delivery.message.notice.rule));
}

std::string sender_words(const MailPeople& people) {
  if (people.from_name.empty()) return people.from;
  const std::string words = header_words(people.from_name, 6);
  return fmt::format("{}\r\n <{}>", words == people.from_name ? "\"" + words + "\"" : words,
                     people.from);
}

void add_recipients(std::string& out, const std::vector<std::string>& to) {
  out += "To: ";
  for (std::size_t i = 0; i < to.size(); ++i) out += (i == 0 ? "" : ",\r\n ") + to[i];
  out += "\r\n";
}

}  // namespace

std::string host_word(std::string_view name) {
  std::string out;
  for (const char letter : name.substr(0, 200)) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '.' || letter == '-';
    out += plain ? letter : '-';
  }
  return out.empty() || out.starts_with('.') ? "localhost" : out;
}

Result<MailPeople> mail_people(const Delivery& delivery) {
  MailPeople people;
  std::string_view from = trimmed(delivery.receiver.from);
  if (const std::size_t open = from.rfind('<');
      open != std::string_view::npos && from.ends_with('>')) {
    people.from_name = one_line(trimmed(from.substr(0, open)));
    std::erase_if(people.from_name, [](char letter) { return letter == '"' || letter == '\\'; });
    from = from.substr(open + 1, from.size() - open - 2);
  }
  people.from = from.empty() ? "gpusched@" + host_word(delivery.machine) : std::string(from);
  if (!is_address(people.from)) return bad_address("the sender", people.from);
  const std::string& own = delivery.message.address;
  people.to = own.empty() ? delivery.receiver.to : std::vector<std::string>{own};
  if (people.to.empty()) return failure(ErrorCode::kInvalid, "it has no recipient");
  for (const std::string& one : people.to) {
    if (!is_address(one)) return bad_address("a recipient", one);
  }
  return people;
}

std::string mail_message(const Delivery& delivery, const MailPeople& people) {
  const Message& message = delivery.message;
  const NoticeText text = notice_text(delivery);
  const std::string host = host_word(delivery.machine);
  // By the thread and not by its first message: nobody keeps which one that was.
  const std::string thread = message.notice.thread.empty() ? "message " + std::to_string(message.id)
                                                           : message.notice.thread;
  const std::string root =
      fmt::format("<thread.{}.gpusched@{}>", short_hash(delivery.machine + "\n" + thread), host);
  std::string out = "Date: " + mail_date(message.at) + "\r\n";
  out += "From: " + sender_words(people) + "\r\n";
  add_recipients(out, people.to);
  out += "Subject: " + header_words(cut(text.title, kSubjectMost), 9) + "\r\n";
  out += fmt::format("Message-ID: <message.{}.{}.gpusched@{}>\r\n", message.id,
                     short_hash(thread + "\n" + message.address), host);
  out += "In-Reply-To: " + root + "\r\nReferences: " + root + "\r\n";
  out += "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
  const std::string words = mail_words(delivery);
  if (message.notice.attachment.empty()) return out + text_part(words);
  const std::string attachment = clean_lines(message.notice.attachment);
  const std::string border = "=_" + short_hash(words + attachment);
  out += fmt::format("Content-Type: multipart/mixed; boundary=\"{}\"\r\n\r\n", border);
  out += fmt::format("--{}\r\n{}--{}\r\n{}--{}--\r\n", border, text_part(words), border,
                     attached_part(attachment), border);
  return out;
}

}  // namespace gpusched::notifier
