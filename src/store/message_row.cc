#include "store/message_row.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace gpusched {
namespace {

std::int64_t number_of_time(Wall time) { return time.time_since_epoch().count(); }
Wall time_from(std::int64_t number) { return Wall(Microseconds(number)); }

std::optional<std::int64_t> number_of_since(const std::optional<Wall>& since) {
  return since ? std::optional(number_of_time(*since)) : std::nullopt;
}

// Sentences have no ends of lines in them; one that has is two.
std::string lines_of(const std::vector<std::string>& others) {
  std::string text;
  for (const std::string& other : others) text += other + "\n";
  return text;
}

// A newer version's word is taken for the loudest that we know.
Severity severity_from(std::int64_t number) {
  const auto most = static_cast<std::int64_t>(Severity::kCritical);
  return static_cast<Severity>(std::clamp<std::int64_t>(number, 0, most));
}

}  // namespace

Result<void> put_message(Statement& put, const Message& message) {
  const Notice& notice = message.notice;
  const auto job = notice.job ? std::optional(number_of(*notice.job)) : std::nullopt;
  const auto card = notice.card ? std::optional(number_of(*notice.card)) : std::nullopt;
  return put.run(
      message.id, message.receiver, message.address, notice.thread, notice.group,
      static_cast<int>(notice.severity), notice.resolved ? 1 : 0, notice.rule, notice.subject,
      notice.what, notice.whom, number_of_since(notice.since), notice.advice, job, card,
      notice.attachment, message.times, lines_of(message.others), number_of_time(message.at),
      number_of_time(message.last_at), number_of_time(message.due), message.tries, message.error);
}

std::optional<Message> read_message(const Statement& select) {
  const auto text = [&](int column) { return std::string(select.text(column)); };
  const auto number = [&](int column) {
    return static_cast<std::uint64_t>(select.integer(column));
  };
  Message message{.id = number(0), .receiver = text(1), .address = text(2)};
  Notice& notice = message.notice;
  notice.thread = text(3);
  notice.group = text(4);
  notice.severity = severity_from(select.integer(5));
  notice.resolved = select.integer(6) != 0;
  notice.rule = text(7);
  notice.subject = text(8);
  notice.what = text(9);
  notice.whom = text(10);
  if (const auto since = select.maybe_integer(11)) notice.since = time_from(*since);
  notice.advice = text(12);
  if (const auto job = select.maybe_integer(13)) {
    notice.job = JobId{static_cast<std::uint64_t>(*job)};
  }
  if (const auto card = select.maybe_integer(14)) {
    notice.card = CardNumber{static_cast<std::uint16_t>(*card)};
  }
  notice.attachment = text(15);
  message.times = number(16);
  for (const std::string_view other : split_nonempty(select.text(17), '\n')) {
    message.others.emplace_back(other);
  }
  message.at = time_from(select.integer(18));
  message.last_at = time_from(select.integer(19));
  message.due = time_from(select.integer(20));
  message.tries = static_cast<std::uint32_t>(number(21));
  message.error = text(22);
  return message;
}

}  // namespace gpusched
